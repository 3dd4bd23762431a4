"""Our reading of parameters against real PostgreSQL servers, and what Patroni makes of it."""

import collections
import json
import os
import pathlib
import subprocess

import pytest
from servers import MAJORS, accepted
from values import BOOLEANS, pairs, table

SEED = int(os.environ.get("PGC_TEST_SEED", "1"))
PROGRAM = pathlib.Path(os.environ.get("PGC_BIN", pathlib.Path(__file__).resolve().parents[2] / "build/dev/bin")) / "pgc_parameter_verdict"

# Where the server's answer hangs on more than name and value; each with its reason.
ELSEWHERE = {
    "max_stack_depth": "bounded by the stack that the process was given",
    "wal_compression": "lz4 and zstd are known to servers built with them",
    "default_toast_compression": "lz4 is known to servers built with it",
    "allow_alter_system": "cannot be set by ALTER SYSTEM, through which we ask",
    "bonjour": "known to servers built with it; it is not to be set anyway",
    "huge_page_size": "bounded by the sizes of the machine",
    "ssl": "known to servers built with TLS",
}

BINARY = ("0b11",)  # read by C libraries of C23; we refuse it everywhere


def verdicts(major, settings):
    lines = "".join(json.dumps([major, name, value]) + "\n" for name, value in settings)
    result = subprocess.run([PROGRAM], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


def is_taken(verdict):
    """PostgreSQL's hooks also refuse what is too many together with the defaults of the others."""
    return verdict["taken"] and not any("does not start with more than" in error for error in verdict["errors"])


def settings_of(major):
    """Strings are left out: what PostgreSQL checks in them needs its files (time zones, encodings)."""
    return [(row["name"], value) for row, value in pairs(major, SEED)
            if row["kind"] != "kString" and row["context"] != "kInternal" and "kNotInFile" not in row["flags"]]


@pytest.mark.parametrize("major", MAJORS)
def test_we_read_values_as_postgresql_does(servers, major):
    settings = settings_of(major)
    ours = [is_taken(verdict) for verdict in verdicts(major, settings)]
    theirs = accepted(servers, major, settings)
    different = [(*setting, f"PostgreSQL {'takes' if real else 'refuses'} it")
                 for setting, mine, real in zip(settings, ours, theirs) if mine != real and setting[0] not in ELSEWHERE and setting[1] not in BINARY]
    print(f"PostgreSQL {major}: {len(settings)} settings of {len({name for name, _ in settings})} parameters, "
          f"{sum(theirs)} taken, {len(different)} judged differently")
    assert different == []
    assert len(settings) > 5000


@pytest.mark.parametrize("major", MAJORS)
def test_unknown_names_are_unknown_to_postgresql_too(servers, major):
    names = {row["name"] for row in table(major)}
    others = sorted({row["name"] for other in MAJORS for row in table(other)} - names)
    misspelt = sorted({name[:-1] for name in names} | {name[1:] for name in names} | {name.replace("_", "") for name in names})
    unknown = [name for name in others + misspelt if name.lower() not in {known.lower() for known in names} and "." not in name]
    unknown = [name for name in unknown if name[0].isalpha()]
    assert not any(accepted(servers, major, [(name, "1") for name in unknown]))
    answers = verdicts(major, [(name, "1") for name in unknown])
    assert all(": Not found: " in answer["errors"][0] for answer in answers if "Forbidden" not in answer["errors"][0])
    print(f"PostgreSQL {major}: {len(unknown)} names that it does not have")


# What Patroni would write into postgresql.conf of what it gets.
PATRONI = """
import json, subprocess, sys
from patroni.postgresql.validator import transform_postgresql_parameter_value as transform
from patroni.collections import CaseInsensitiveSet
major = int(sys.argv[1])
told = subprocess.check_output([f'/usr/lib/postgresql/{major}/bin/postgres', '--describe-config'], text=True)
available = CaseInsensitiveSet({line.split('\\t')[0] for line in told.splitlines()})
for line in sys.stdin:
    name, value = json.loads(line)
    print(json.dumps(transform(major * 10000, name, value, available)))
"""


@pytest.mark.parametrize("major", MAJORS)
def test_patroni_passes_on_what_we_take(servers, major):
    settings = settings_of(major)
    taken = [setting for setting, verdict in zip(settings, verdicts(major, settings)) if not verdict["errors"]]
    output = servers.run('exec python3 -c "$1" "$2"', PATRONI, major, stdin="".join(json.dumps(pair) + "\n" for pair in taken))
    changed = [(name, value, json.loads(line)) for (name, value), line in zip(taken, output.splitlines(), strict=True)
               if json.loads(line) != value]
    print(f"PostgreSQL {major}: {len(taken)} settings go through Patroni, {len(changed)} changed or dropped")
    assert changed == []


# Texts that would end a line, a quote or a document if anything on the way did not escape them.
HOSTILE = ["it's", "''", "'", "a' port = '1", "\\", "a\\'b", "\\n", "#not a comment", "a = b", "\"", "{a: b}", "- x", "%p", "$HOME", "`id`",
           "ü€😀", "\u00a0", "a\u00adb", "\ufffd", "~", "null", "yes", "1e3", " leading", "trailing ", "!tag", "&anchor", "*alias", "@x", "|", ">"]

# The way of a value: our JSON is read as YAML, Patroni's own writer renders postgresql.conf, PostgreSQL reads it.
RENDER = """
import subprocess, sys, yaml
from patroni.postgresql.config import ConfigWriter
major, document = sys.argv[1], sys.stdin.read()
values = yaml.safe_load(document)
bin, data = f'/usr/lib/postgresql/{major}/bin/', f'/tmp/render-{major}'
subprocess.run([bin + 'initdb', '-D', data, '-U', 'postgres', '--no-sync'], check=True, capture_output=True)
with ConfigWriter(data + '/postgresql.conf') as conf:
    for name, value in values.items():
        conf.write_param(name, value)
for name in values:
    told = subprocess.run([bin + 'postgres', '-D', data, '-C', name], check=True, capture_output=True, text=True)
    print(yaml.safe_dump(told.stdout[:-1], width=10**6, allow_unicode=False, default_style='"').strip())
"""


@pytest.mark.parametrize("major", MAJORS)
def test_no_text_that_we_take_breaks_out_of_the_files(servers, major):
    import yaml
    named = {f"my.value{number}": text for number, text in enumerate(HOSTILE)}
    for verdict in verdicts(major, list(named.items())):
        assert verdict["errors"] == []
    output = servers.run('exec python3 -c "$1" "$2"', RENDER, major, stdin=json.dumps(named, ensure_ascii=False))
    assert [yaml.safe_load(line) for line in output.splitlines()] == HOSTILE


def test_what_yaml_would_not_keep_is_refused():
    import yaml
    for code in [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF]:
        answer = verdicts(16, [("my.value", f"a{chr(code)}b")])[0]
        assert "must be one line of UTF-8" in answer["errors"][0], hex(code)
    for code in [0x80, 0x85, 0xFFFE]:  # and it is not refused for nothing
        try:
            kept = yaml.safe_load(json.dumps(f"a{chr(code)}b", ensure_ascii=False)) == f"a{chr(code)}b"
        except yaml.YAMLError:
            kept = False
        assert not kept


@pytest.mark.parametrize("major", MAJORS)
def test_the_data_are_those_of_the_real_servers(servers, major):
    told = servers.psql(major, "SELECT name, context, coalesce(unit, '') FROM pg_settings;").splitlines()
    ours = {(row["name"], row["unit"]) for row in table(major)}
    theirs = {(name, unit) for name, _, unit in (line.split("\t") for line in told)}
    assert ours == theirs, "run dev/parameters"
    counts = collections.Counter(row["kind"] for row in table(major))
    print(f"PostgreSQL {major}: {len(ours)} parameters, {dict(counts)}")
    assert counts["kBool"] > len(BOOLEANS)
