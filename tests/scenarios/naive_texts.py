"""What a model reads, and how a command line is taken apart: the part of the naive model that
looks at nothing but its arguments.
"""

import re

CUT = "\n... [CONTENT TRUNCATED] ...\n"
SAVED = """Tool output was too large and has been truncated.
The full output has been saved to: {path}
To read the complete output, use the read_file tool with the absolute file path above. For large \
files, you can use the offset and limit parameters to read specific sections:
- read_file tool with offset=0, limit=100 to see the first 100 lines
- read_file tool with offset=N to skip N lines from the beginning
- read_file tool with limit=M to read only M lines at a time
The truncated output below shows the beginning and end of the content. The marker \
'... [CONTENT TRUNCATED] ...' indicates where content was removed.
This allows you to efficiently examine different parts of the output without loading the entire \
file.
Truncated part of the output:
{shown}"""


def parts_of(call, content):
    done = "Tool execution succeeded."
    if isinstance(content, list) and len(content) == 1:
        content = content[0]
    if isinstance(content, str):
        return [call.fr({"output": content})]
    if isinstance(content, list):
        items = [{"text": x} if isinstance(x, str) else x for x in content if x is not None]
        return [call.fr({"output": done}), *items]
    content = content if isinstance(content, dict) else {}
    if "functionResponse" in content:
        response = content["functionResponse"]["response"]
        if isinstance(response.get("content"), list):
            texts = "".join(item.get("text", "") for item in response["content"])
            return [call.fr({"output": texts})]
        return [call.fr(response)]
    for key in ("inlineData", "fileData"):
        if key in content:
            kind = content[key].get("mimeType", "unknown")
            said = f"Binary content of type {kind} was processed."
            return [call.fr({"output": said}), content]
    return [call.fr({"output": content.get("text", done)})]


def truncated(text, limits):
    """What is shown, with a place for the path, and the lines that are saved."""
    threshold, count = limits.get("threshold", 4_000_000), limits.get("lines", 1000)
    is_on = limits.get("enabled", True) and threshold > 0 and count > 0
    if not is_on or len(text) <= threshold:
        return None
    lines = text.split("\n")
    if len(lines) <= count:
        lines = [cut for line in lines for cut in re.findall(".{1,120}", line) or [""]]
    head = count // 5
    shown = "\n".join(lines[:head]) + CUT + "\n".join(lines[-(count - head) :])
    return shown, "\n".join(lines)


def distance(one, other):
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]


def commands(line):
    """The commands of a line without quotes; none where a substitution is in it."""
    if "`" in line or "$(" in line:
        return []
    return split(line)


def split(line):
    """Its parts between the operators."""
    return [" ".join(part.split()) for part in re.split(r"&&|\|\||[;|&\n]", line)]
