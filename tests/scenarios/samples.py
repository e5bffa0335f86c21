"""Commands, patterns and results that random scenarios are made of."""

COMMANDS = (
    "ls",
    "ls -a",
    "lsof",
    "git status",
    "git status && ls",
    "git log; rm x",
    "git log | grep a",
    "ls & rm x",
    "ls\nrm x",
    "git $(rm x)",
    "git `rm x`",
    "rm x || ls",
)
PATTERNS = (
    "run_shell_command",
    "ShellTool",
    "run_shell_command(git)",
    "ShellTool(git status)",
    "run_shell_command(ls)",
    "run_shell_command(rm x)",
    "t0",
    "t1(git)",
    "FakeTool",
    "",
    "t2",
    "run_shell_command(l",
)
CONTENTS = (
    "text",
    "",
    None,
    7,
    [],
    ["one"],
    [["one", "two"]],
    ["one", None, {"text": "two"}, ""],
    [{"functionResponse": {"response": {"x": 1}}}],
    {"functionResponse": {"id": "z", "name": "y", "response": {"output": "kept"}}},
    {"functionResponse": {"response": {"content": [{"text": "a"}, {}, {"text": "b"}]}}},
    {"functionResponse": {"response": {"content": "no list"}}},
    {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
    {"inlineData": {"data": "AA=="}},
    {"fileData": {"mimeType": "text/plain", "fileUri": "u"}, "text": "beside"},
    {"text": ""},
    {"text": "said"},
    {"other": 1},
    "x" * 130,
    "\n".join(["a" * 125, "", "b"]),
    "\n".join(map(str, range(30))),
    "\U0001f600" * 41,
    ["x" * 130],
)


def result(dice):
    content = dice.choice(CONTENTS)
    kind = dice.random()
    if kind < 0.5:
        return content
    full = {"llmContent": content} if dice.random() < 0.8 else {}
    if dice.random() < 0.6:
        full["returnDisplay"] = dice.choice(["shown", None, {"fileDiff": "d"}, ""])
    if dice.random() < 0.3 or not full:
        full["error"] = dice.choice(
            [None, {}, {"message": "failed"}, {"message": "failed", "type": "not_found"}]
        )
    return full
