"""Lets the operators take turns, each on a control plane of its own, and prints what they cost. Called by bench/loop."""

import argparse
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import yaml
from api import Api, Follower, processes_below

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
from common.report import Aim, Row, medians, print_report, write_junit  # noqa: E402

NAME = "pgc-bench-loop"
OURS, THEIRS = "pgc-operator", "controller-runtime"
QUIET = 3  # seconds
PATIENCE = 600  # seconds for everything to be Ready
TICKS = os.sysconf("SC_CLK_TCK")


def cluster(*arguments, **environment):
    done = subprocess.run([ROOT / "dev/cluster", *arguments], check=True, capture_output=True, text=True, env=os.environ | environment)
    return done.stdout.strip()


class Program:
    """A running program; what it says goes to a file. What it has used is read from /proc."""

    def __init__(self, command, log):
        self.log = log
        with log.open("a") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output)
        self.pid = self.process.pid

    def cpu(self):
        return cpu_of(self.pid)

    def memory(self, field):
        """MiB; VmRSS is now, VmHWM the most so far."""
        for line in open(f"/proc/{self.pid}/status"):
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
        raise RuntimeError(f"{self.log}: ended")

    def alive(self):
        return self.process.poll() is None

    def stop(self):
        if self.alive():
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=60)


def cpu_of(pid):
    """CPU-seconds, user and system, of all threads."""
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def command_of(name, program, kubeconfig, settings, options):
    common = [program, "--kubeconfig", kubeconfig, "--workers", str(options.workers)]
    if name == OURS:
        return common + ["--settings", str(settings), "--health-port", "0", "--no-webhook-certificates"]
    return common + ["--templates", options.templates]


def write_settings(path):
    """The shipped settings, but for servers without TLS: the comparison makes no certificates."""
    shipped = yaml.safe_load((ROOT / "manifests/operator/settings.yaml").read_text())["data"]["settings.yaml"]
    path.write_text(shipped.replace("tls: true", "tls: false").replace("mode: Require", "mode: Prefer"))


@contextlib.contextmanager
def control_plane():
    cluster("down", "--name", NAME)
    # The servers collect garbage less often than by default: on few cores they would need what is to be measured.
    cluster("up", "--control-plane-only", "--name", NAME, GOGC="400")
    try:
        crd = ROOT / "manifests/crd/postgresclusters.yaml"
        cluster("kubectl", "--name", NAME, "apply", "--server-side", "-f", str(crd))
        for namespace in ("bench", "pgc-system"):
            cluster("kubectl", "--name", NAME, "create", "namespace", namespace)
        cluster("kubectl", "--name", NAME, "wait", "--for=condition=Established", "--timeout=60s", "-f", str(crd))
        yield cluster("kubeconfig", "--name", NAME)
    finally:
        cluster("down", "--name", NAME)


class Servers:
    """The CPU of etcd and kube-apiserver."""

    def __init__(self, kubeconfig):
        root = int((pathlib.Path(kubeconfig).parent / "init").read_text().split()[0])
        found = processes_below(root)
        self.pids = [found["etcd"], found["kube-apiserver"]]

    def cpu(self):
        return sum(cpu_of(pid) for pid in self.pids)


def wait_for(what, condition, programs, patience=PATIENCE, pause=0.25):
    until = time.monotonic() + patience
    while not condition():
        for program in programs:
            if not program.alive():
                sys.exit(f"error: {program.log.name} has ended:\n{program.log.read_text()[-2000:]}")
        if time.monotonic() > until:
            sys.exit(f"error: {what} not reached in {patience} s; see {programs[0].log}:\n{programs[0].log.read_text()[-2000:]}")
        time.sleep(pause)


def wait_until_quiet(program, begun, patience=300):
    """Until the operator does nothing but breathe. Returns the CPU that it has used, and after how many seconds."""
    quiet_since, used = time.monotonic(), program.cpu()
    while time.monotonic() - quiet_since < QUIET:
        if time.monotonic() > begun + patience:
            sys.exit(f"error: {program.log.name} does not come to rest")
        time.sleep(0.25)
        now = program.cpu()
        if now - used > 0.02:
            quiet_since, used = time.monotonic(), now
    return used, quiet_since - begun


class Turn:
    """One operator's turn on one control plane: the figures of the table."""

    def __init__(self, name, program, kubeconfig, folder, options):
        self.options, self.figures, self.api = options, {}, Api(kubeconfig)
        self.servers = Servers(kubeconfig)
        settings = folder / "settings.yaml"
        write_settings(settings)
        self.command = command_of(name, program, kubeconfig, settings, options)
        self.log = folder / f"{name}.log"
        self.player_command = [options.player, "--kubeconfig", kubeconfig, "--period", str(options.period)]
        self.player_log = folder / "player.log"

    def run(self):
        self.player = Program(self.player_command, self.player_log)
        self.operator = Program(self.command, self.log)
        try:
            self.idle()
            self.burst()
            self.heartbeats()
            self.player.stop()
            self.operator.stop()
            self.restart()
        finally:
            self.player.stop()
            self.operator.stop()
        self.figures["player"] = self.player_log.read_text().splitlines()[-1]
        return self.figures

    def idle(self):
        wait_for("a leader", self.api.leader, [self.operator], patience=60)
        time.sleep(3)
        self.figures["idle memory"] = self.operator.memory("VmRSS")

    def burst(self):
        follower = Follower(self.api)
        follower.start()
        servers, player, operator, begun = self.servers.cpu(), self.player.cpu(), self.operator.cpu(), time.monotonic()
        self.api.create_clusters(self.options.clusters)
        self.figures["created"] = time.monotonic() - begun
        programs = [self.operator, self.player]
        wait_for("all objects", lambda: self.api.missing_objects(self.options.clusters) == 0, programs, pause=0.5)
        self.figures["objects"] = time.monotonic() - begun
        wait_for("everything Ready", lambda: len(follower.ready) == self.options.clusters, programs)
        self.figures["ready"] = follower.changed_at - begun
        self.figures["burst CPU"] = self.operator.cpu() - operator
        self.figures["burst servers"] = self.servers.cpu() - servers
        self.figures["burst player"] = self.player.cpu() - player
        self.figures["peak memory"] = self.operator.memory("VmHWM")

    def heartbeats(self):
        time.sleep(min(5, self.options.seconds))  # what the burst has left to do, such as Events, is no heartbeat
        servers, player, operator, begun = self.servers.cpu(), self.player.cpu(), self.operator.cpu(), time.monotonic()
        writes = self.api.writes()
        time.sleep(self.options.seconds)
        passed = time.monotonic() - begun
        self.figures["beats"] = (self.api.writes() - writes) / passed
        self.figures["beat CPU"] = (self.operator.cpu() - operator) / passed * 1000
        self.figures["CPU per beat"] = self.figures["beat CPU"] / max(1, self.figures["beats"]) * 1000
        self.figures["beat servers"] = (self.servers.cpu() - servers) / passed * 1000
        self.figures["beat player"] = (self.player.cpu() - player) / passed * 1000
        self.figures["steady memory"] = self.operator.memory("VmRSS")

    def restart(self):
        """Nobody else writes meanwhile, so that every write is the operator's."""
        before = self.api.writes()
        begun = time.monotonic()
        self.operator = Program(self.command, self.log)
        wait_for("a leader", self.api.leader, [self.operator], patience=60)
        self.figures["restart CPU"], self.figures["restart"] = wait_until_quiet(self.operator, begun)
        self.figures["restart memory"] = self.operator.memory("VmRSS")
        self.figures["restart peak"] = self.operator.memory("VmHWM")
        self.figures["resync writes"] = self.api.writes() - before


def rows(options):
    return [
        Row("memory with no clusters, MiB", "idle memory", 1),
        Row(f"{options.clusters:,} clusters created in, s", "created", 1),
        Row("all objects there after, s", "objects", 1),
        Row("all clusters Ready after, s", "ready", 1),
        Row("CPU-seconds until then", "burst CPU", 2),
        Row("  of etcd and kube-apiserver", "burst servers", 1),
        Row("  of the player", "burst player", 1),
        Row("peak memory, MiB", "peak memory", 1),
        Row("heartbeats: writes a second", "beats", 0),
        Row("  CPU, ms a second", "beat CPU", 1),
        Row("  CPU per write, µs", "CPU per beat", 0),
        Row("  of etcd and kube-apiserver, ms a second", "beat servers", 0),
        Row("  memory, MiB", "steady memory", 1),
        Row("restart: CPU-seconds until all is looked at", "restart CPU", 2),
        Row("  seconds", "restart", 1),
        Row("  memory, MiB", "restart memory", 1),
        Row("  peak memory, MiB", "restart peak", 1),
        Row("  writes", "resync writes", 0),
    ]


# Time depends on what else the machine does; the least of differences is none.
SLACK_OF_TIME = 1.1


def aims(middle):
    ours, theirs = middle[OURS], middle.get(THEIRS)
    found = [
        Aim("idle at most 15 MiB", f"{ours['idle memory']:.1f} MiB", ours["idle memory"] / 15),
        Aim("a look at everything writes nothing", f"{ours['resync writes']:.0f} writes", 2 * ours["resync writes"]),
    ]
    if not theirs:
        return found

    def ratio(title, figure, part, slack=1.0):
        return Aim(title, f"{ours[figure]:.1f} to {theirs[figure]:.1f}", ours[figure] / theirs[figure] / part / slack)

    return found + [
        ratio("all objects not later", "objects", 1, SLACK_OF_TIME),
        ratio("all Ready not later", "ready", 1, SLACK_OF_TIME),
        ratio("a quarter of the CPU in the burst", "burst CPU", 0.25),
        ratio("a quarter of the CPU per heartbeat", "CPU per beat", 0.25),
        ratio("a quarter of the CPU of a restart", "restart CPU", 0.25),
        ratio("a quarter of the peak memory", "peak memory", 0.25),
        ratio("a quarter of the memory", "steady memory", 0.25),
    ]


def measure(options, programs):
    turns = {name: [] for name in programs}
    for number in range(options.rounds):
        names = list(programs) if number % 2 == 0 else list(reversed(programs))  # whoever is first has a colder machine
        for name in names:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="pgc-bench-loop-"))
            with control_plane() as kubeconfig:
                turns[name].append(Turn(name, programs[name], kubeconfig, folder, options).run())
            figures = turns[name][-1]
            print(f"    turn {number + 1} of {name}: all Ready after {figures['ready']:.1f} s, {figures['burst CPU']:.1f} CPU-seconds; "
                  f"the player: {figures['player']}; logs in {folder}", file=sys.stderr)
    return turns


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--player", required=True)
    parser.add_argument("--templates", required=True)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--theirs")
    parser.add_argument("--clusters", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--period", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--junit")
    options = parser.parse_args()
    programs = {OURS: options.ours} | ({THEIRS: options.theirs} if options.theirs else {})
    turns = measure(options, programs)
    found = aims({name: medians(each) for name, each in turns.items()})
    print_report(turns, rows(options), found)
    if options.junit:
        write_junit(options.junit, "loop", [aim.case() for aim in found])
    return 0 if all(aim.met() for aim in found) else 1


if __name__ == "__main__":
    sys.exit(main())
