"""Runs fuzz targets side by side and reports: run.py --bin FOLDER --corpus FOLDER --crashes FOLDER --seconds N --jobs N --junit FILE.

What a run finds worth keeping stays in the corpus folder, so that the next run goes on from there. The seeds in tests/fuzz/corpus are ours and
only read.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
PREFIX = "fuzz_"
# Several times what the slowest input has taken under the sanitizers on a busy machine.
SECONDS_PER_INPUT, MEGABYTES = 20, 2000


def command_of(program, options):
    name = program.name.removeprefix(PREFIX)
    kept = options.corpus / name
    kept.mkdir(parents=True, exist_ok=True)
    seeds, dictionary = HERE / "corpus" / name, HERE / "dictionaries" / f"{name}.dict"
    return [
        str(program), f"-max_total_time={options.seconds}", f"-timeout={SECONDS_PER_INPUT}", f"-rss_limit_mb={MEGABYTES}",
        "-print_final_stats=1", f"-artifact_prefix={options.crashes}/{name}-", *([f"-dict={dictionary}"] if dictionary.exists() else []),
        str(kept), *([str(seeds)] if seeds.exists() else []),
    ]  # fmt: skip


def figures(said):
    """(inputs tried, edges covered, inputs kept), each "-" where libFuzzer did not come to say it."""
    tried = re.findall(r"stat::number_of_executed_units:\s*(\d+)", said)
    state = re.findall(r"cov: (\d+) ft: \d+ corp: (\d+)/", said)
    return (tried or ["-"])[-1], *(state[-1] if state else ("-", "-"))


def fault_of(program, code, said):
    """What went wrong and how to see it again; empty: nothing."""
    if code == 0:
        return ""
    kept = re.findall(r"Test unit written to (\S+)", said)
    why = [line for line in said.splitlines() if re.match(r"PROPERTY|found:|.*(ERROR: |runtime error: |what\(\): |Assertion .* failed)", line)]
    replay = f"replay with: {program} {kept[-1]}" if kept else f"exit code {code}; run {program}"
    return "\n".join([*why, replay] if why else [said[-2000:], replay])


def run(program, options):
    done = subprocess.run(command_of(program, options), capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    fault = fault_of(program, done.returncode, done.stderr)
    tried, edges, kept = figures(done.stderr)
    print(f"{program.name.removeprefix(PREFIX):<12}{tried:>12}{edges:>10}{kept:>10}  {'FAILED' if fault else 'ok'}", flush=True)
    if fault:
        print(fault, flush=True)
    return program.name.removeprefix(PREFIX), fault


def write_junit(path, cases):
    suite = ElementTree.Element("testsuite", name="fuzz", tests=str(len(cases)))
    for name, fault in cases:
        case = ElementTree.SubElement(suite, "testcase", classname="fuzz", name=name)
        if fault:
            ElementTree.SubElement(case, "failure", message=re.sub(r"[^\n\x20-\x7e]", "?", fault))
    ElementTree.ElementTree(suite).write(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--crashes", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--junit", type=pathlib.Path)
    options = parser.parse_args()
    options.crashes.mkdir(parents=True, exist_ok=True)
    programs = sorted(options.bin.glob(f"{PREFIX}*"))
    print(f"{'TARGET':<12}{'INPUTS':>12}{'EDGES':>10}{'CORPUS':>10}  for {options.seconds} s each")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        cases = list(pool.map(lambda program: run(program, options), programs))
    if options.junit:
        write_junit(options.junit, cases)
    return 1 if not cases or any(fault for _, fault in cases) else 0


if __name__ == "__main__":
    raise SystemExit(main())
