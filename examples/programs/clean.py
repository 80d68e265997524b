"""Cleans a table of sales, adds up months and regions, and draws them."""

import matplotlib.pyplot as plt
import pandas as pd

sales = pd.read_csv("sales.csv", parse_dates=["date"])
rows_read = len(sales)

# What a cash register gets wrong: the same line twice, no price, goods that came back.
sales = sales.drop_duplicates("order_id").dropna(subset=["unit_price"])
sales = sales[sales["quantity"] > 0]
sales["revenue"] = sales["quantity"] * sales["unit_price"]

summary = (
    sales.groupby([sales["date"].dt.strftime("%Y-%m").rename("month"), "region"])["revenue"]
    .agg(orders="count", revenue="sum")
    .round(2)
    .reset_index()
)
summary.to_csv("summary.csv", index=False)

summary.pivot(index="month", columns="region", values="revenue").plot(
    kind="bar", stacked=True, figsize=(10, 5), title="Revenue by month and region"
)
plt.ylabel("EUR")
plt.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.tight_layout()
# The figure stays open: it is saved as figure-1.png.

print(f"{rows_read} rows read, {len(sales)} kept, {len(summary)} lines in summary.csv")
result = {
    "rows_read": rows_read,
    "rows_kept": len(sales),
    "revenue": round(float(sales["revenue"].sum()), 2),
}
