"""Prints what an image of ours holds, as one line of JSON; set-up runs it in the image and writes the SBOM from it."""
import importlib.metadata
import json
import os
import stat
import subprocess


def debian():
    with open("/var/lib/dpkg/status", encoding="utf8") as status:
        for paragraph in status.read().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in paragraph.splitlines() if ": " in line and line[0] != " ")
            if fields.get("Status", "").endswith(" installed"):
                yield {"name": fields["Package"], "version": fields["Version"], "architecture": fields["Architecture"]}


def python():
    for distribution in importlib.metadata.distributions():
        yield {"name": distribution.metadata["Name"], "version": distribution.version}


def npm():
    for root in ("/node_modules", "/opt/hourglass/node_modules"):
        for folder, _, files in os.walk(root):
            parent, name = os.path.split(folder)
            scoped = os.path.basename(parent).startswith("@") and os.path.basename(os.path.dirname(parent)) == "node_modules"
            if "package.json" in files and not name.startswith("@") and (scoped or os.path.basename(parent) == "node_modules"):
                with open(folder + "/package.json", encoding="utf8") as file:
                    facts = json.load(file)
                yield {"name": facts["name"], "version": facts["version"]}


def set_id():
    for folder, folders, files in os.walk("/"):
        folders[:] = [name for name in folders if folder != "/" or name not in ("proc", "sys", "dev")]
        for name in files:
            path = os.path.join(folder, name)
            if os.lstat(path).st_mode & (stat.S_ISUID | stat.S_ISGID) and not os.path.islink(path):
                yield path


def release():
    with open("/etc/os-release", encoding="utf8") as file:
        return dict(line.rstrip().replace('"', "").split("=", 1) for line in file if "=" in line)


def listed(items):
    return sorted(items, key=lambda item: (item["name"], item["version"]))


print(
    json.dumps(
        {
            "distribution": release()["VERSION_CODENAME"],
            "node": subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip(),
            "debian": listed(debian()),
            "python": listed(python()),
            "npm": listed(npm()),
            "setId": sorted(set_id()),
        }
    )
)
