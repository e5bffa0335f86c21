"""The second parser, tree-sitter-bash: does it see the very commands that the reader saw?

Rule 1: it is never trusted alone. It must see no error, no kind of node that is not listed, and a
        command at each place where the reader saw one, and nowhere else.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from callgate.policy.shell.commands import NotUnderstood, names

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

NOT_ASCII = re.compile(r"[^\x00-\x7f]")
"Letters to bash; a brace between some of them ends the process of the parser. It gets a `_`."
NODES_MAX = 20_000
"Nodes of a tree that are looked at."
STARTS = frozenset({"command_name", "declaration_command", "unset_command", "test_command"})
"Nodes that are, or begin with, the first word of a command."
LISTED = STARTS | names(
    "program list pipeline command negated_command redirected_statement subshell "
    "compound_statement "
    "if_statement elif_clause else_clause while_statement for_statement case_statement case_item "
    "do_group word string string_content raw_string ansi_c_string concatenation number comment "
    "simple_expansion expansion variable_name special_variable_name command_substitution "
    "process_substitution arithmetic_expansion binary_expression unary_expression "
    "parenthesized_expression ternary_expression brace_expression variable_assignment "
    "variable_assignments test_operator regex extglob_pattern file_redirect file_descriptor "
    "heredoc_redirect heredoc_start heredoc_body heredoc_end heredoc_content herestring_redirect "
    "subscript"
)


@cache
def _parser() -> Parser:
    try:
        import tree_sitter
        import tree_sitter_bash
    except ImportError:
        raise NotUnderstood(
            "tree-sitter-bash is not installed: pip install 'callgate[policy]'"
        ) from None
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def check_tree(text: str, starts: list[int]) -> None:
    """Raise unless the second parser sees commands at exactly these places of the text."""
    plain = NOT_ASCII.sub("_", text).encode("ascii")
    seen = _starts(_parser().parse(plain).root_node)
    if sorted(starts) != sorted(seen):
        raise NotUnderstood("two parsers do not see the same commands")


def _starts(root: Node) -> list[int]:
    """Where the commands of a tree start."""
    found, waiting, count = list[int](), [root], 0
    while waiting:
        node = waiting.pop()
        count += 1
        if node.is_error or node.is_missing or count > NODES_MAX:
            raise NotUnderstood("the second parser does not understand it")
        if node.is_named and node.type not in LISTED:
            raise NotUnderstood(f"the second parser sees a {node.type.replace('_', ' ')}")
        if node.type in STARTS:
            found.append(node.start_byte)
        waiting.extend(node.children)
    return found
