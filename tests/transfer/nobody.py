"""A user without rights, for tests that run as root: `nobody`, with a TUN device that all may open.

Distributions have /dev/net/tun open to all; some machines have it at 0600. As root a test makes a device node of its
own in a mount namespace, and drops to nobody there: nothing of the machine is changed, and nothing is left.
"""

import os
import shutil
import subprocess
import sys
from functools import cache

from conftest import environment

#: Runs a command where /dev/net/tun is open to all. The node is in a tmpfs, which goes with the mount namespace.
_DEVICE = """
mount --make-rprivate / && mount -t tmpfs -o mode=755,dev tmpfs /mnt && mknod -m 666 /mnt/tun c 10 200 &&
chmod 666 /mnt/tun && mount --bind /mnt/tun /dev/net/tun && umount -l /mnt && exec "$@"
"""

_DROP = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--ambient-caps=-all"]
# By a shell: setpriv itself would still start a program that only root may read.
_DROP += ["--bounding-set=-all", "sh", "-c", 'exec "$@"', "-"]

#: A command as nobody begins with these words.
NOBODY = ["unshare", "--mount", "sh", "-c", _DEVICE, "-", *_DROP]


def environment_of_nobody() -> dict[str, str]:
    """This package for any Python."""
    own = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "PYTHONDONTWRITEBYTECODE": "1"}
    return environment() | own | {"HOME": "/", "XDG_RUNTIME_DIR": ""}


@cache
def python_of_nobody() -> str | None:
    """A Python that nobody may run, and that knows this package."""
    for python in (sys.executable, "/usr/bin/python3"):
        words = [*NOBODY, python, "-c", "import sys; import windward; sys.exit(sys.version_info < (3, 11))"]
        if subprocess.run(words, env=environment_of_nobody(), capture_output=True, check=False).returncode == 0:
            return python
    return None


def missing() -> str | None:
    """Why a test cannot be nobody here; None if it can."""
    if os.geteuid() != 0:
        return "every other test is without root already"
    if lacks := [name for name in ("setpriv", "unshare", "mount", "mknod") if shutil.which(name) is None]:
        return f"{lacks[0]} is not installed"
    if python_of_nobody() is None:
        return "no Python here that nobody may run, or no mount namespaces"
    return None
