"""Policies: who may run what. Pure decisions, each with the rule that made it.

General layout: `decisions` (the border), `rules` (values), `matching` and `engine` (what they
decide), `toml/` and `loading` (files), `shell/` (command lines), `paths` (the one reader of the
file system), `answers` and `saving` ("always").

What rules mean where two answers were possible; each has a test of its number:

 1. A decision is `allow`, `deny` or `ask_user` (also spelt `ask`); it is printed as `ask`.
 2. Known tools are the shell (`shell`, `run_shell_command`, `ShellTool`), `read_file`,
    `write_file`, `replace` (`edit_file`) and `list_directory`. `file_path` and `dir_path` are paths
    for every tool. A rule for an unknown tool holds, with a warning.
 3. Built-in rules are the weakest tier: reads are allowed; writes ask, and are allowed inside the
    workspace in auto_edit; the rest asks; plan denies all but reads; yolo allows. There is no list
    of safe or of dangerous commands.
 4. A file that is TOML is loaded, however many of its rules are refused. One that is not denies
    every tool at its tier. Allow rules of an extension are dropped, and named.
 5. A wrong rule that does not literally say `allow` denies its tools, or all tools if they cannot
    be read. An empty condition is an error.
 6. `argsPattern` is searched in compact JSON with sorted keys. In an allow `"key":` is a top-level
    argument; a deny and an ask find nested ones too.
 7. `commandPrefix` is words; its own words are granted, what follows them is judged by tables.
    `commandRegex` starts where each command starts.
 8. Words of a command are not path arguments: borders hold for `dir_path`, `file_path` and targets.
 9. Plain expansions are understood as arguments of programs that are in no table, and nowhere else.
10. Groups, conditions, loops and substitutions are understood if all in them is; `[[ ]]` needs no
    rule of its own.
11. A word that a backslash at the end of a line joins is read as bash reads it.
12. Programs whose operands are a command are wrappers: a deny looks through them.
13. Programs whose options execute or write have a table of harmless options; any other asks.
14. Text that is run as code is followed, or makes the command not understood.
15. An allow of the whole shell covers what is understood; where some commands are forbidden, the
    tables hold for it too, and a command that is not a literal word asks.
16. Parts of git that run, configure or write ask even where all of git is allowed.
17. What is not understood is allowed by yolo alone, and not where some commands are forbidden;
    denies still apply to what can be recognised. An allow never takes a permission away.
18. auto_edit and `allowRedirection` permit redirections inside the workspace; only yolo those
    outside.
19. A hundred commands in a line are handled; past a limit the line is not understood.
20. Paths are relative to the workspace, and count where they end.
21. What begins with `~`, is no path or cannot be resolved is never inside. Names are bytes.
22. Writes into `.git` ask in auto_edit.
"""
