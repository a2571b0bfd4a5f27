"""TensorBoard reads our event files.

    python tensorboard_test.py WRITE_SAMPLES

Exit codes: 0 passed, 1 failed, 77 skipped because the package tensorboard is not installed.
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
    from tensorboard.plugins.hparams import plugin_data_pb2
except ImportError as error:
    print(f"skipped: {error}; ./plr setup installs scripts/requirements/tests.txt")
    sys.exit(77)

WRITE_SAMPLES = sys.argv.pop(1)
START = 1_700_000_000.125


def expected_scalars(sign, step):
    """What write_samples.cc writes: (wall time, step, value), the value rounded to 32 bits."""
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
        # Users name the directory; TensorBoard finds the file by its name.
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

    def test_scalars_are_read_as_written(self):
        path = self.check("events")
        # The first event holds the format's version, each of the others the scalars of a step.
        loaded = list(event_file_loader.EventFileLoader(str(path)).Load())
        self.assertEqual(loaded[0].file_version, "brain.Event:2")
        self.assertEqual([len(event.summary.value) for event in loaded[1:]], [2, 1] * 100 + [1])

    def test_a_truncated_and_continued_file_equals_an_uninterrupted_one(self):
        self.check("resumed-events")

    def test_hyperparameters_are_a_session_of_the_hparams_plugin(self):
        self.write("other-events")
        events = event_accumulator.EventAccumulator(str(self.folder))
        events.Reload()
        contents = {tag: plugin_data_pb2.HParamsPluginData.FromString(content)
                    for tag, content in events.PluginTagToContent("hparams").items()}
        self.assertEqual(sorted(contents), ["_hparams_/session_end_info", "_hparams_/session_start_info"])
        start = contents["_hparams_/session_start_info"].session_start_info
        self.assertEqual({name: getattr(value, value.WhichOneof("kind")) for name, value in start.hparams.items()},
                         {"learning_rate": 5e-4, "drac": False, "seed": 7.0, "env": "maze/random-60",
                          "levels": "0..199", "note": ""})
        self.assertEqual(start.start_time_secs, START + 1)
        end = contents["_hparams_/session_end_info"].session_end_info
        self.assertEqual((end.status, end.end_time_secs), (1, START + 3))  # STATUS_SUCCESS
        self.assertEqual([event.value for event in events.Scalars("eval/test_return")], [0.5])

    def test_the_hparams_tab_lists_settings_and_metrics(self):
        """What TensorBoard's own server computes for the tab."""
        from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
        from tensorboard.context import RequestContext
        from tensorboard.plugins import base_plugin
        from tensorboard.plugins.hparams import backend_context
        self.write("other-events")
        multiplexer = plugin_event_multiplexer.EventMultiplexer()
        multiplexer.AddRunsFromDirectory(str(self.folder))
        multiplexer.Reload()
        provider = data_provider.MultiplexerDataProvider(multiplexer, str(self.folder))
        context = backend_context.Context(base_plugin.TBContext(data_provider=provider))
        request = RequestContext()
        experiment = context.experiment_from_metadata(
            request, "", include_metrics=True,
            hparams_run_to_tag_to_content=context.hparams_metadata(request, ""),
            data_provider_hparams=[])
        self.assertLessEqual({"learning_rate", "drac", "env"}, {info.name for info in experiment.hparam_infos})
        self.assertIn("eval/test_return", {info.name.tag for info in experiment.metric_infos})

    def test_a_picture_is_read_as_written(self):
        self.write("other-events")
        events = event_accumulator.EventAccumulator(str(self.folder))
        events.Reload()
        (picture,) = events.Images("levels")
        self.assertEqual((picture.step, picture.width, picture.height), (10, 3, 2))
        self.assertTrue(picture.encoded_image_string.startswith(b"\x89PNG\r\n"))


if __name__ == "__main__":
    unittest.main()
