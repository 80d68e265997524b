# The five products that sold the most pieces, counted from the raw table.
awk -F, -v OFS=, '
  NR > 1 && !seen[$1]++ && $6 != "" && $5 > 0 { pieces[$4] += $5 }
  END { for (product in pieces) print product, pieces[product] }
' sales.csv | sort -t, -k2,2nr -k1,1 > products.csv

head -n 5 products.csv | jq -R 'split(",") | { product: .[0], pieces: (.[1] | tonumber) }' | jq -s . > top.json

head -n 5 products.csv
result=$(cat top.json)
