"""Columns of a table as arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Arrays = Mapping[str, npt.NDArray[Any]]
