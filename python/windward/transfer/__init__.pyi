from . import kernel as kernel
from ._files import get as get, send as send
from ._link import link as link
from ._serve import serve as serve
