"""Runs docparse under a stop-watch: time and memory of the process and its children.

On a machine that others use a second of the clock is no second of work.  The limit is broken when the clock is beyond it and so is
the processor time of all processes, or the clock without the time that they were ready and got no processor: whoever sleeps
has no excuse.  PATIENCE times the limit is broken in any case."""
import os
import signal
import subprocess
import time

SECONDS, MEGABYTES = 10.0, 1000
PATIENCE = 4
PAGE, TICKS = os.sysconf('SC_PAGE_SIZE'), os.sysconf('SC_CLK_TCK')


class Outcome:
    """code: exit code, negative for a signal; seconds; megabytes: largest resident set of the whole process group."""

    def __init__(self, code, seconds, megabytes, stderr, stdout, why):
        self.code, self.seconds, self.megabytes = code, seconds, megabytes
        self.stderr, self.stdout, self.why = stderr, stdout, why  # why: '' or the limit that was broken


def group_stat(group):
    """The fields of /proc/PID/stat, from the state on, of all processes of the group."""
    for entry in os.listdir('/proc'):
        if not entry.isdigit(): continue
        try:
            with open(f'/proc/{entry}/stat') as f: fields = f.read().rsplit(')', 1)[1].split()
            if int(fields[2]) == group: yield fields
        except (OSError, IndexError): pass


def group_memory(group):
    """Resident bytes of all processes of the group, shared pages counted once for each."""
    return sum(int(fields[21]) * PAGE for fields in group_stat(group))


def group_time(group):
    """Processor time, seconds, of all processes of the group and of those they have waited for."""
    return sum(int(t) for fields in group_stat(group) for t in fields[11:15]) / TICKS


def group_delay(group):
    """Seconds that the threads of the group were ready to run and others had the processor; 0 where the kernel does not say."""
    total = 0
    for entry in os.listdir('/proc'):
        if not entry.isdigit(): continue
        try:
            if os.getpgid(int(entry)) != group: continue
            for task in os.listdir(f'/proc/{entry}/task'):
                with open(f'/proc/{entry}/task/{task}/schedstat') as f: total += int(f.read().split()[1])
        except (OSError, IndexError): pass
    return total / 1e9


def is_over(group, clock, seconds):
    return clock > PATIENCE * seconds or group_time(group) > seconds or clock - group_delay(group) > seconds


def run(command, seconds=SECONDS, megabytes=MEGABYTES, env=None, stderr=None, stdout=None):
    """Runs command in its own process group; kills the group when it breaks a limit.
    stderr, stdout: names of files to write."""
    with open(stderr or os.devnull, 'wb') as err, open(stdout or os.devnull, 'wb') as out:
        start = time.monotonic()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env={**os.environ, **(env or {})}, start_new_session=True)
        largest, why, pause = 0, '', 0.002
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid: break
            largest = max(largest, group_memory(child.pid))
            clock = time.monotonic() - start
            if clock > seconds and is_over(child.pid, clock, seconds): why = f'ran longer than {seconds:g} s'
            elif largest > megabytes * 1e6: why = f'used more than {megabytes} MB'
            if why:
                os.killpg(child.pid, signal.SIGKILL)
                pid, status, usage = os.wait4(child.pid, 0)
                break
            time.sleep(pause)
            pause = min(0.05, pause * 1.5)
        elapsed = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
    left = group_memory(child.pid)  # children must not outlive their parent
    if left:
        time.sleep(0.3)
        if group_memory(child.pid):
            os.killpg(child.pid, signal.SIGKILL)
            why = why or 'left a process behind'
    largest = max(largest, usage.ru_maxrss * 1024)
    if not why and largest > megabytes * 1e6: why = f'used {largest / 1e6:.0f} MB, more than {megabytes}'
    return Outcome(child.returncode, elapsed, largest / 1e6, read(stderr), read(stdout), why)


def read(path):
    if not path or not os.path.exists(path): return ''
    with open(path, 'rb') as f: return f.read().decode('utf-8', 'replace')
