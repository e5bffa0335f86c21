"""A second opinion on how rules decide: written from the prose, slow, and sharing nothing.

It knows names, tiers, modes, `interactive`, one argument, and command lines of single words joined
by `&&`.
"""

from fnmatch import fnmatchcase

TIERS = ["default", "extension", "workspace", "user", "admin"]


class NaiveEngine:
    def __init__(self):
        self.rules, self.answers = [], []

    def add(self, rule):
        self.rules.append(rule)

    def heard(self):
        keyed = [
            (-TIERS.index(rule["tier"]), -rule["priority"], number, rule)
            for number, rule in enumerate(self.rules)
        ]
        return [rule for *_, rule in sorted(keyed, key=lambda each: each[:3])]

    def applies(self, rule, call, mode, interactive):
        if rule["modes"] and mode not in rule["modes"]:
            return False
        if rule["interactive"] is not None and rule["interactive"] != interactive:
            return False
        return any(fnmatchcase(call["name"], tool) for tool in rule["tools"])

    def first(self, call, mode, interactive, word=None):
        for rule in self.heard():
            if not self.applies(rule, call, mode, interactive):
                continue
            if rule["word"] and rule["word"] != word:
                continue
            if rule["value"] is not None and call["args"].get("a") != rule["value"]:
                continue
            return rule["effect"], rule["tier"]
        return "ask", None

    def decide(self, call, mode, interactive):
        if call["name"] == "shell":
            words = call["args"]["command"].split(" && ")
            found = [
                self.answered(call, mode, self.first(call, mode, interactive, w)) for w in words
            ]
        else:
            found = [self.answered(call, mode, self.first(call, mode, interactive))]
        worst = max(found, key=["allow", "ask", "deny"].index)
        return "deny" if worst == "ask" and not interactive else worst

    def answered(self, call, mode, ruling):
        effect, tier = ruling
        if (
            effect == "ask"
            and tier != "admin"
            and (call["name"], mode)
            in (
                (answer["name"], m)
                for answer in self.answers
                for m in answer["modes"]
                if answer["args"] is None or answer["args"] == call["args"]
            )
        ):
            return "allow"
        return effect

    def remember(self, call, whole_tool, mode):
        order = ["plan", "default", "auto_edit", "yolo"]
        self.answers.append(
            {
                "name": call["name"],
                "args": None if whole_tool else call["args"],
                "modes": order[order.index(mode) :],
            }
        )
