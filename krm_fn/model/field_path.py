"""How a field is named to people."""


def step(field: str, name: str) -> str:
    """The path of a field one further down; brackets where a dot or slash in the name would mislead."""
    if "." in name or "/" in name:
        return f"{field}[{name}]"
    return f"{field}.{name}" if field else name
