"""One real use of every Python package that the image promises, `rounds` times, and an import of what they bring along."""
import importlib
import importlib.metadata
import io
import re
import traceback

uses = {}


def use(name):
    return lambda function: uses.setdefault(name, function)


@use("pandas")
def _():
    import pandas as pd

    frame = pd.DataFrame({"a": [1, 2, 2], "b": ["x", "y", "y"]})
    frame.groupby("b").sum().to_csv("p.csv")
    return int(pd.read_csv("p.csv").a.sum())


@use("polars")
def _():
    import polars as pl

    pl.DataFrame({"a": [3, 1, 2]}).write_parquet("p.parquet")
    return pl.scan_parquet("p.parquet").sort("a").collect()["a"].to_list()


@use("numpy")
def _():
    import numpy as np

    return round(float(np.linalg.det(np.eye(50) * 1.1)), 3)


@use("requests")
def _():
    import requests

    try:
        requests.get("http://127.0.0.1:9/", timeout=1)
    except requests.ConnectionError:
        return "refused"


@use("httpx")
def _():
    import httpx

    try:
        httpx.get("http://127.0.0.1:9/", timeout=1, trust_env=False)
    except httpx.ConnectError:
        return "refused"


@use("aiohttp")
def _():
    import asyncio

    from aiohttp import ClientSession, web

    async def main():
        app = web.Application()
        app.router.add_get("/", lambda request: web.Response(text="served"))
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 8123).start()
        async with ClientSession() as session, session.get("http://127.0.0.1:8123/") as response:
            text = await response.text()
        await runner.cleanup()
        return text

    return asyncio.run(main())


@use("beautifulsoup4")
def _():
    from bs4 import BeautifulSoup

    return BeautifulSoup("<p>hello", "html.parser").p.text


@use("lxml")
def _():
    from lxml import etree

    return etree.fromstring("<a><b>1</b></a>").xpath("//b/text()")


@use("html5lib")
def _():
    import html5lib

    return html5lib.parse("<p>x", namespaceHTMLElements=False).find(".//p").text


@use("openpyxl")
def _():
    import openpyxl

    book = openpyxl.Workbook()
    book.active["A1"] = 42
    book.save("o.xlsx")
    return openpyxl.load_workbook("o.xlsx").active["A1"].value


@use("xlrd")
def _():
    import xlrd

    try:
        xlrd.open_workbook(file_contents=b"no workbook")
    except xlrd.XLRDError:
        return "no workbook"


@use("python-docx")
def _():
    import docx

    document = docx.Document()
    document.add_paragraph("hello")
    document.save("d.docx")
    return docx.Document("d.docx").paragraphs[0].text


@use("pypdf")
def _():
    import pypdf

    writer = pypdf.PdfWriter()
    writer.add_blank_page(100, 100)
    writer.write("p.pdf")
    return len(pypdf.PdfReader("p.pdf").pages)


@use("python-pptx")
def _():
    import pptx

    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "hello"
    deck.save("s.pptx")
    return pptx.Presentation("s.pptx").slides[0].shapes.title.text


@use("scipy")
def _():
    import scipy.fft
    import scipy.optimize

    scipy.fft.fft([1.0] * 4096, workers=2)
    return round(float(scipy.optimize.brentq(lambda x: x * x - 4, 0, 5)), 6)


@use("sympy")
def _():
    import sympy

    x = sympy.symbols("x")
    return str(sympy.integrate(x**2, x))


@use("matplotlib")
def _():
    import matplotlib.pyplot as plt

    plt.plot([1, 2])
    plt.savefig("m.png")
    plt.close()
    return open("m.png", "rb").read(4).decode("latin1")[1:]


@use("pendulum")
def _():
    import pendulum

    return pendulum.datetime(2024, 2, 28, tz="Europe/Paris").add(days=2).to_date_string()


@use("arrow")
def _():
    import arrow

    return arrow.get("2024-01-31").shift(months=1).format("YYYY-MM-DD")


@use("python-dateutil")
def _():
    from dateutil import parser, tz

    return parser.parse("1 Feb 2024").replace(tzinfo=tz.gettz("America/New_York")).isoformat()


@use("pydantic")
def _():
    import pydantic

    class Model(pydantic.BaseModel):
        number: int

    return Model(number="4").number


@use("pillow")
def _():
    from PIL import Image, ImageDraw, ImageFilter

    picture = Image.new("RGB", (50, 50), "white")
    ImageDraw.Draw(picture).text((5, 5), "x", fill="black")
    picture.filter(ImageFilter.BLUR).save("i.webp")
    return Image.open("i.webp").size[0]


@use("pyyaml")
def _():
    import yaml

    return yaml.safe_load(yaml.dump({"a": [1, 2]}))["a"]


@use("orjson")
def _():
    import orjson

    return orjson.loads(orjson.dumps({"a": 1}))["a"]


@use("markdown")
def _():
    import markdown

    return markdown.markdown("# hi")


@use("csvkit")
def _():
    from csvkit.utilities.csvstat import CSVStat

    open("c.csv", "w").write("a\n1\n3\n")
    told = io.StringIO()
    CSVStat(["--mean", "c.csv"], told).run()
    return "2" in told.getvalue()


@use("regex")
def _():
    import regex

    return regex.findall(r"\p{Lu}", "aÄb")


def outcome(function):
    try:
        return [True, [function() for _ in range(rounds)][-1]]
    except BaseException:
        return [False, traceback.format_exc()[-600:]]


def brought_along():
    """The names of all packages that are there, and the imports of their modules that failed."""
    failed = {}
    for module, packages in importlib.metadata.packages_distributions().items():
        try:
            if module.isidentifier():
                importlib.import_module(module)
        except BaseException as error:
            failed[module] = f"{packages[0]}: {error!r}"[:300]
    names = (distribution.metadata["Name"] for distribution in importlib.metadata.distributions())
    return {"packages": sorted(re.sub("[-_.]+", "-", name).lower() for name in names), "failed": failed}


result = {"uses": {name: outcome(function) for name, function in uses.items()}, "broughtAlong": brought_along()}
