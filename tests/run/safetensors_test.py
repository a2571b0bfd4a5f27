"""plr and the Python package safetensors read each other's files.

    python safetensors_test.py WRITE_SAMPLES

Exit codes: 0 passed, 1 failed, 77 skipped because the package is not installed.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
    import safetensors
    import safetensors.numpy
except ImportError as error:
    print(f"skipped: {error}; ./plr setup installs scripts/requirements/tests.txt")
    sys.exit(77)

WRITE_SAMPLES = sys.argv.pop(1)

# The format's names; numpy has no BF16.
DTYPES = {"U8": "u1", "I8": "i1", "U16": "u2", "I16": "i2", "F16": "f2", "U32": "u4", "I32": "i4",
          "F32": "f4", "U64": "u8", "I64": "i8", "F64": "f8"}


def bits(array):
    return array.dtype, array.shape, array.tobytes()


class Safetensors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, verb, *paths):
        subprocess.run([WRITE_SAMPLES, verb, *paths], check=True)
        return paths[-1]

    def check_equal(self, path, expected, metadata):
        with safetensors.safe_open(path, framework="numpy") as file:
            self.assertEqual(file.metadata(), metadata)
            self.assertEqual(sorted(file.keys()), sorted(expected))
            for name, array in expected.items():
                self.assertEqual(bits(file.get_tensor(name)), bits(array), name)

    def test_python_reads_our_files(self):
        path = self.write("tensors", self.folder / "ours.safetensors")
        counting = bytes(range(48))
        expected = {name: numpy.frombuffer(counting, dtype, 6).reshape(2, 3)
                    for name, dtype in DTYPES.items()}
        expected["truths"] = numpy.array([True, False])
        expected["scalar"] = numpy.frombuffer(counting, "i8", 1).reshape(())
        expected['nothing "here"'] = numpy.zeros((3, 0))
        with safetensors.safe_open(path, framework="numpy") as file:
            self.assertEqual(file.metadata(), {"step": "12", "näme": '"x"\n'})
            self.assertEqual(sorted(file.keys()), sorted([*expected, "BF16"]))
            self.assertEqual(file.get_slice("BF16").get_dtype(), "BF16")
            self.assertEqual(file.get_slice("BF16").get_shape(), [2, 3])
            for name, array in expected.items():
                self.assertEqual(bits(file.get_tensor(name)), bits(array), name)

    def test_we_read_files_of_python(self):
        random = numpy.random.default_rng(1)
        tensors = {name: (100 * random.random((3, 1, 5))).astype(dtype)
                   for name, dtype in DTYPES.items()}
        tensors.update({"scalar": numpy.array(1.5), "nothing": numpy.zeros((0, 2), "f4"),
                        "truths": numpy.array([[True], [False]]), "näme \"x\"\n": numpy.ones(3)})
        for metadata in (None, {"a": "b", "ü": "\"\\\n"}):
            theirs = self.folder / "theirs.safetensors"
            safetensors.numpy.save_file(tensors, theirs, metadata=metadata)
            copied = self.write("copy", theirs, self.folder / "copy.safetensors")
            self.check_equal(copied, tensors, metadata)

    def test_empty_files_are_read_both_ways(self):
        theirs = self.folder / "theirs.safetensors"
        safetensors.numpy.save_file({}, theirs)
        self.check_equal(self.write("copy", theirs, self.folder / "copy"), {}, None)


if __name__ == "__main__":
    unittest.main()
