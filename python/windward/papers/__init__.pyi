"""The public names of `windward.papers`."""

from .judge import (
    Bound as Bound,
    Finding as Finding,
    Judgement as Judgement,
    MissingResultError as MissingResultError,
    Order as Order,
    Results as Results,
    Scatter as Scatter,
    claim as claim,
    judge as judge,
)
from .ledger import (
    Claim as Claim,
    MissingInputError as MissingInputError,
    Paper as Paper,
    PaperError as PaperError,
    known as known,
    load as load,
)
from .reproduce import (
    Context as Context,
    Drawn as Drawn,
    figure as figure,
    kept as kept,
    rehearse as rehearse,
    reproduce as reproduce,
)
