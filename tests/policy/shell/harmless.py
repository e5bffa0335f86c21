"""Harmless command lines as people and models really write them, with the prefixes that allow them.

Rule 1: each one only reads and prints; the list of prefixes beside it is one that a person would write.
"""

READING = (
    "ls cat head tail wc grep egrep rg find fd fdfind sort uniq cut tr sed awk echo printf pwd date which type "
    "file stat du df tree diff cmp comm basename dirname realpath env xargs test [ true jq nl seq ps uname "
    "whoami id hostname column paste tac rev cd read exit"
).split() + ["git log", "git status", "git diff", "git show", "git branch", "git ls-files", "git grep",
    "git blame", "git rev-parse", "git remote", "git tag", "git stash list", "git describe", "command -v",
    "git rev-list", "git shortlog", "git config --get", "git cat-file", "git merge-base"]

HARMLESS: list[str] = [
    "ls", "ls -la", "ls -la src/ tests/", "ls -lt | head -20", "ls *.py", "ls -d */", "ls -1 | wc -l", "pwd", "pwd && ls -la",
    "cat README.md", "cat pyproject.toml | head -50", "cat -n src/main.py | sed -n '10,40p'", "cat package.json | jq .scripts",
    "cat a.txt b.txt | sort | uniq -c | sort -rn | head", "head -n 20 file.txt", "head -c 100 file.bin", "tail -n +5 file.txt",
    "tail -f -n 100 app.log", "tail -20 log.txt 2>/dev/null", "wc -l src/*.py", "wc -l $(git ls-files '*.py')",
    "grep -rn 'TODO' src/", "grep -rn \"def main\" --include='*.py' .", "grep -E 'foo|bar' file.txt", "grep -v '^#' config.ini",
    "grep -c error log.txt || true", "grep -rnw . -e 'pattern'", "grep \"foo$\" x.txt", "grep -A3 -B3 'class Foo' src/foo.py",
    "grep -oP '(?<=version = \")[^\"]+' pyproject.toml", "grep -rl \"$HOME\" . 2>/dev/null", "grep -q foo bar.txt && echo found",
    "grep -q foo bar.txt && echo yes || echo no", "grep -n 'a\\|b' f.txt", "grep -r \"import os\" --include=*.py . | wc -l",
    "egrep -i 'warn|error' build.log", "rg foo", "rg -n 'async def' src -g '*.py'", "rg -i --hidden 'token' -g '!.git'", "rg --files | head -100",
    "rg -l 'foo' | sort", "rg --files -g '*.ts' | wc -l", "rg 'x' -t py -A 3", "rg -uu foo .", "rg -n -C2 'foo\\(' src", "rg -w foo --json",
    "find . -name '*.py'", "find . -name \"*.py\" -not -path './.git/*'", "find . -type f -name '*.md' | head", "find src -type f | wc -l",
    "find . -maxdepth 2 -type d", "find . -type f -size +1M -print", "find . -name node_modules -prune -o -name '*.js' -print",
    "find . \\( -name '*.c' -o -name '*.h' \\) -print", "find . -mtime -1 -type f 2>/dev/null", "find /usr/include -name 'std*.h' 2> /dev/null | head -5",
    "find . -name '*.py' -print0 | xargs -0 grep -n foo", "find . -type f -newer a.txt", "find . -empty", "find . -name '*.py' | xargs wc -l | tail -1",
    "find . -iname '*readme*' -printf '%p %s\\n'", "fd '\\.py$'", "fd -e py -t f", "fd -H config", "sort names.txt", "sort -u names.txt", "sort -t, -k2,2n data.csv",
    "sort -rnk2 data.txt | head -3", "sort --reverse --numeric-sort x.txt", "du -sh * | sort -h", "du -sh . 2>/dev/null", "du -a | sort -n -r | head -n 10",
    "df -h", "uniq -c sorted.txt", "cut -d: -f1 /etc/passwd", "cut -d',' -f2- data.csv | sort -u", "cut -d$'\\t' -f1 data.tsv", "tr 'a-z' 'A-Z' < /dev/null",
    "echo hello | tr '[:lower:]' '[:upper:]'", "sed -n '1,20p' file.py", "sed -n 5p file.py", "sed 's/foo/bar/g' file.txt", "sed -e 's/a/b/' -e 's/c/d/' f.txt",
    "sed -n '/start/,/end/p' f.txt", "sed '/^$/d' f.txt", "sed -E 's/([0-9]+)/<\\1>/g' f.txt", "sed -n '$=' f.txt", "sed 's|/usr|/opt|' paths.txt",
    "sed ':a;N;$!ba;s/\\n/ /g' f.txt", "sed '1d;$d' f.txt", "sed -n -e '10,20p' -e '30q' f.txt", "sed --quiet '3p' f.txt", "sed -ne 's/^v//p' f.txt",
    "awk '{print $1}' f.txt", "awk -F: '{print $1, $3}' /etc/passwd", "awk 'NR==1' f.txt", "awk 'NR>=10 && NR<=20' f.txt", "awk '{s+=$1} END {print s}' n.txt",
    "awk -F, '$3 > 100 {print $1}' d.csv", "awk '/foo/ {print FILENAME \":\" NR}' *.txt"[:0] + "awk '/foo/ {print NR}' a.txt", "awk 'BEGIN{FS=\"|\"} {print $2}' f.txt",
    "awk '{if ($1 > 5) print $0}' f.txt", "awk '{count[$1]++} END {for (k in count) print k, count[k]}' f.txt", "awk '!seen[$0]++' f.txt", "awk '{printf \"%s\\n\", $1}' f.txt",
    "ps aux | awk '{print $2}' | head", "ps aux | grep python", "echo hello", "echo \"hello world\"", "echo 'it'\\''s'", "echo $HOME", "echo \"$HOME/bin\"", "echo ${PATH}",
    "echo \"exit: $?\"", "echo $((1 + 2))", "echo {a,b,c}", "echo file{1..5}.txt", "echo ~", "echo -e 'a\\tb'", "echo \"a; b | c && d\"", "echo 'a > b'", "echo \"${#HOME}\"",
    "echo \"${USER:-nobody}\"", "echo a \\\n  b", "echo \"today: $(date +%F)\"", "echo $(pwd)", "echo `date`", "echo \"lines: $(cat a.txt | wc -l)\"", "echo 100% done!", "echo a # a comment",
    "# only look\nls", "printf '%s\\n' a b c", "printf \"%d\\n\" 5", "printf '%s\\n' \"$HOME\"", "date", "date +%Y-%m-%d", "date -u '+%H:%M'", "date -d yesterday +%F", "date --iso-8601=seconds",
    "which python3", "which git rg fd", "type ls", "command -v git", "command -v rg >/dev/null && echo yes", "command -v git >/dev/null 2>&1 || echo missing", "file a.bin", "stat -c '%s' a.txt", "tree -L 2", "tree -a -I 'node_modules|.git' -L 3",
    "diff a.txt b.txt", "diff -u a.txt b.txt | head -50", "diff -rq a b", "diff <(sort a.txt) <(sort b.txt)", "cmp a b && echo same", "comm -12 a b", "basename \"$PWD\"", "dirname $(which python3)"[:0] + "dirname /a/b",
    "realpath .", "env | sort", "env | grep -i proxy", "env LC_ALL=C sort a.txt", "LC_ALL=C sort a.txt", "LC_ALL=C ls -la", "TZ=UTC date", "uname -a", "whoami", "id -u", "hostname",
    "git status", "git status -s", "git status --short --branch", "git log", "git log --oneline -10", "git log --oneline --graph --all -n 20", "git log -p -1", "git log --since='2 weeks ago' --author=me",
    "git log --format='%h %s' -5", "git log -S'foo' --oneline", "git log main..HEAD --oneline", "git log -n5 --stat -- src/", "git log --pretty=format:%h%x09%an%x09%s", "git log -1 --format=%H", "git log --follow -- README.md",
    "git diff", "git diff --stat", "git diff --cached", "git diff HEAD~1 -- src/a.py", "git diff --name-only main...HEAD", "git diff -U5", "git diff --no-color | head -200", "git diff -w HEAD^", "git show", "git show HEAD:README.md",
    "git show --stat HEAD", "git show -s --format=%cd HEAD~3", "git branch", "git branch -a", "git branch --show-current", "git branch -vv", "git ls-files", "git ls-files '*.py' | head", "git ls-files -o --exclude-standard", "git grep -n foo",
    "git grep -n 'foo' -- '*.py'", "git blame -L 10,20 src/a.py", "git rev-parse HEAD", "git rev-parse --show-toplevel", "git rev-parse --abbrev-ref HEAD", "git remote -v", "git tag -l 'v*'", "git stash list", "git describe --tags --always",
    "git --no-pager log -3", "git --no-pager diff --stat", "git config --get user.name", "git rev-list --count HEAD", "git shortlog -sn", "git merge-base main HEAD", "git status && git diff", "git status; git log -1", "cd src && ls", "cd /tmp && pwd",
    "test -f a.txt && echo yes", "[ -f a.txt ] && echo yes || echo no", "[ -d src ] || echo none", "[ -n \"$HOME\" ] && echo set", "[ \"$USER\" = root ] && echo root", "[[ -f a.txt ]] && echo yes", "[[ -d src && -f a.txt ]] && ls src", "[[ $USER == root ]] && echo root", "[[ -z $FOO ]] && echo empty",
    "if [ -f a.txt ]; then cat a.txt; else echo none; fi", "if [[ -d src ]]; then ls src; fi", "for f in *.py; do echo \"$f\"; done", "for f in a b c; do echo $f; done", "for f in $(ls); do wc -l \"$f\"; done", "for i in 1 2 3; do echo $i; done | sort",
    "for f in src/*.py; do head -n 1 \"$f\"; done", "while read -r line; do echo \"$line\"; done < /dev/null", "ls | while read -r f; do echo \"$f\"; done", "case $USER in root) echo r;; *) echo other;; esac", "(cd src && ls)", "{ ls; pwd; }", "! grep -q foo a.txt", "true && ls || pwd",
    "ls 2>&1", "ls nothere 2>/dev/null", "ls >/dev/null 2>&1", "ls &>/dev/null; echo $?", "ls 2>&1 | head", "ls > /dev/null", "cat a.txt 2>/dev/null | grep foo", "x=1; echo $x", "name=$(date +%s); echo \"$name\"", "timeout 10 ls", "timeout 5s grep -r foo .", "nice ls", "nice -n 10 find . -name x", "time ls",
    "nohup ls", "xargs -n1 echo < /dev/null", "ls | xargs -n 1 basename", "ls | xargs -I{} echo {}", "rg -l foo | xargs grep -n bar", "bash -c 'ls -la'", "bash -lc 'ls | wc -l'", "sh -c 'echo hi'", "bash -c \"git status && git diff --stat\"", "/bin/bash -c 'pwd'",
    "jq . package.json", "jq -r '.name' package.json", "jq '.dependencies | keys[]' package.json", "jq -r '.a[] | select(.b > 1) | .c' x.json", "cat x.json | jq -c '.[]'", "jq -n --arg a b '$a'", "nl -ba a.txt", "seq 1 5", "seq 5 | tac", "paste -d, a b", "column -t a.txt", "ls | rev",
    "ls src; ls tests", "ls -la | grep '^d' | awk '{print $NF}'", "cat /etc/os-release | grep VERSION | cut -d= -f2 | tr -d '\"'", "git log --oneline | head -n 5 | cut -d' ' -f1", "find . -name '*.log' | head -1 | xargs -r tail -n 5", "echo \"$(git rev-parse --short HEAD) $(date)\"", "echo \"caf\u00e9 \u2713\"", "ls 'a b' \"c d\"", "ls a\\ b",
    "ls -la\n", "ls\n\npwd\n", "git diff HEAD -- 'src/*.py'", "git log --all --grep='fix' -i", "cat <(echo a) <(echo b)", "tr '\\n' ' ' < /dev/null", "grep -F '$(x)' a.txt", "grep '`' a.txt", "echo '$HOME `date` $(ls)'", "awk -v n=3 'NR==n' a.txt", "awk -F'\\t' '{print $2}' a.tsv",
]
OTHERS: list[tuple[str, str]] = [
    ("git", "git commit -m 'fix: a $thing'"), ("git", "git add -A && git commit -m \"x\""), ("git", "git push origin main"), ("git", "git fetch --all"), ("git", "git checkout -b feature"),
    ("npm", "npm test"), ("npm", "npm run build"), ("npm", "npm run lint -- src"), ("npm test", "npm test -- --watch=false"), ("npm", "npm ls --depth=0"), ("make", "make"), ("make", "make -j4 test"), ("make", "make -n all"),
    ("python3 -m pytest", "python3 -m pytest -q tests/a.py -k foo"), ("python3", "python3 --version"), ("pytest", "pytest -q -x tests"), ("cargo", "cargo test --release"), ("cargo", "cargo check"), ("go", "go test ./..."), ("go", "go version"),
    ("tar", "tar -tzf x.tgz"), ("tar", "tar tvf x.tar"), ("unzip", "unzip -l x.zip"), ("curl", "curl -sSL https://example.org/x"), ("curl", "curl -I https://example.org"), ("man", "man ls"), ("less", "less -R a.txt"),
    ("pip", "pip list"), ("docker", "docker ps -a"), ("ruff", "ruff check src"), ("mypy", "mypy --strict src"), ("node", "node --version"), ("gzip", "gzip -dc x.gz"), ("mkdir", "mkdir -p a/b"), ("sudo apt list", "sudo apt list"), ("tsc", "tsc --noEmit"),
]
