"""python -m plr: the program plr (see plr.program)."""

import sys

from plr.program import main

sys.exit(main())
