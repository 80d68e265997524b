print(f"Hello, {name}")
result = {"greeting": f"Hello, {name}", "letters": len(name)}
