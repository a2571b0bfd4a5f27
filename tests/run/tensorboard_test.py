"""Does TensorBoard read from our event files what we wrote?

    python tensorboard_test.py WRITE_SAMPLES

Exit codes: 0 yes, 1 no, 77 the package tensorboard is not installed here.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
    from tensorboard.backend.event_processing import event_accumulator
    from tensorboard.backend.event_processing import event_file_loader
except ImportError as error:
    print(f"skipped: {error}; ./plr setup installs tests/requirements.txt")
    sys.exit(77)

WRITE_SAMPLES = sys.argv.pop(1)
START = 1_700_000_000.125


def expected_scalars(sign, step):
    """What write_samples.cc writes: (wall time, step, value), the value in its 32 bits."""
    values = [numpy.float32(i) / numpy.float32(7) - numpy.float32(3) for i in range(100)]
    return [(START + 0.25 * i, i * step, sign * float(value)) for i, value in enumerate(values)]


class EventFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, what):
        path = self.folder / f"events.out.tfevents.{what}"
        subprocess.run([WRITE_SAMPLES, what, path], check=True)
        return path

    def check(self, what):
        path = self.write(what)
        # A directory, as users give it: the file is found by its name.
        events = event_accumulator.EventAccumulator(str(self.folder), size_guidance={"scalars": 0})
        events.Reload()
        self.assertEqual(events.file_version, 2.0)
        self.assertEqual(events.FirstEventTimestamp(), START)
        self.assertEqual(sorted(events.Tags()["scalars"]), ["empty", "höhe", "train/loss", "train/return"])
        scalars = lambda tag: [(e.wall_time, e.step, e.value) for e in events.Scalars(tag)]
        self.assertEqual(scalars("train/return"), expected_scalars(1, 10**10))
        self.assertEqual(scalars("train/loss"), expected_scalars(-1, 10**10))
        self.assertEqual(scalars("höhe"), expected_scalars(-1, 1))
        self.assertEqual(scalars("empty"), [(START, 0, 0.0)])
        return path

    def test_is_read_as_it_was_written(self):
        path = self.check("events")
        # Its first event says what it is, each of the others holds a step's scalars.
        loaded = list(event_file_loader.EventFileLoader(str(path)).Load())
        self.assertEqual(loaded[0].file_version, "brain.Event:2")
        self.assertEqual([len(event.summary.value) for event in loaded[1:]], [2, 1] * 100 + [1])

    def test_cut_back_and_continued_is_read_as_if_it_never_had_been(self):
        self.check("resumed-events")


if __name__ == "__main__":
    unittest.main()
