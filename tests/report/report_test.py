"""Tests of plr report: files, messages, and numbers compared with scipy.

Run by ctest with the program's path in PLR_PROGRAM; comparisons with scipy are skipped without it.
"""

import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from program import PROGRAM, ProgramTest, plr  # noqa: E402
import sample_runs  # noqa: E402

try:
    import numpy
    import scipy.stats
except ImportError:
    scipy = None


REPOSITORY = pathlib.Path(__file__).parent.parent.parent


class Report(ProgramTest):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def report(self, *arguments):
        done = plr("report", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    # ---- files

    def test_a_page_is_written_for_one_run(self):
        sample_runs.write_run(self.folder / "a", "plr", sample_runs.ENVS[0], 1)
        done = self.report("a")
        self.assertIn("1 run in a/report.html", done.stdout)
        self.assertEqual(done.stderr, "")
        page = (self.folder / "a/report.html").read_text()
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertLess(len(page), 1_000_000)

    def test_a_page_is_written_for_an_unfinished_run(self):
        sample_runs.write_run(self.folder / "a", "plr", sample_runs.ENVS[0], 1)
        path = self.folder / "a/eval.jsonl"
        path.write_text("".join(path.read_text().splitlines(True)[:10]) + '{"steps": 99')
        self.report("a")
        self.assertIn("not finished", (self.folder / "a/report.html").read_text())

    def test_export_writes_tables_and_figures(self):
        sample_runs.write_runs(self.folder / "runs")
        self.report("runs", "--export", "figures", "--out", "page.html", "--title", "A < B")
        self.assertIn("<title>A &lt; B</title>", (self.folder / "page.html").read_text())
        names = {path.name for path in (self.folder / "figures").iterdir()}
        for table in ("returns", "training-returns", "gaps", "robust"):
            self.assertLessEqual({table + ".csv", table + ".md", table + ".tex"}, names)
        self.assertLessEqual({"curves.csv", "runs.csv", "evaluations.csv", "training.csv",
                              "test-multiroom-n4-random.svg", "gap-all-minigrid.svg", "difficulty.csv", "difficulty-multiroom-n4-random-plr.svg"}, names)
        self.assertIn(r"\toprule", (self.folder / "figures/returns.tex").read_text())
        self.assertIn("<polyline", (self.folder / "figures/test-all-minigrid.svg").read_text())
        for name in ("test-multiroom-n4-random", "test-all-minigrid", "train-all-minigrid"):
            self.assertIn(">plr ★", (self.folder / "figures" / (name + ".svg")).read_text())
        self.assertIn('"MiniGrid: mean return","plr"', (self.folder / "figures/returns.csv").read_text())

    def test_ten_thousand_updates_give_a_page_below_one_megabyte(self):
        sample_runs.write_run(self.folder / "a", "plr", sample_runs.ENVS[0], 1, num_points=10_000)
        self.report("a")
        self.assertLess((self.folder / "a/report.html").stat().st_size, 1_000_000)

    # ---- the paper's tables

    def test_the_committed_comparison_with_the_paper_is_current(self):
        documents = ("README.md", "experiments/procgen/README.md")
        updates = []
        for name in documents:
            copy = self.folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, copy)
            updates += ["--update", copy]
        page = "docs/paper_versus_ours.md"
        self.report("--paper", REPOSITORY / "experiments", "--out", "page.md", *updates)
        for name, copy in ((page, "page.md"), *((name, name) for name in documents)):
            self.assertEqual((self.folder / copy).read_text(), (REPOSITORY / name).read_text(),
                             f"run plr report --paper experiments --out {page} --update "
                             + " --update ".join(documents))

    def test_documents_are_updated_together_or_not_at_all(self):
        paper = ("report", "--paper", str(REPOSITORY / "experiments"))
        place = "<!-- paper table: 2; plr; MiniGrid -->\n{}<!-- end of paper table -->\n"
        for name, text in (("a.md", place), ("b.md", "no table\n")):
            (self.folder / name).write_text(text.format(""))
        done = plr(*paper, "--update", "a.md", "--update", "b.md", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1))
        self.assertIn("plr report: b.md: it has no paper table; ", done.stderr)
        self.assertEqual((self.folder / "a.md").read_text(), place.format(""))
        done = plr(*paper, "--update", "a.md", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertIn("| MultiRoom-N4-Random | 0.81 ± 0.01 | **", (self.folder / "a.md").read_text())
        done = plr("report", "--update", "a.md", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (
            2, "plr report: --update requires --paper; see plr report --help\n"))

    def test_planned_runs_are_those_of_the_experiment_files(self):
        with open(REPOSITORY / "experiments/paper/sources.csv") as file:
            for source in csv.DictReader(file):
                plan = tomllib.loads((REPOSITORY / "experiments" / (source["plan"] + ".toml")).read_text())
                first, last = plan["seeds"].split("-")
                self.assertEqual(int(source["planned"]), int(last) - int(first) + 1, source["plan"])

    def test_the_comparison_with_the_paper_needs_its_files(self):
        done = plr("report", "--paper", "nowhere", cwd=self.folder)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))
        self.assertIn("nowhere/paper/returns.csv", done.stderr)
        done = plr("report", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (2, "plr report: DIR is required; see plr report --help\n"))

    # ---- --watch

    def test_a_watched_page_is_served_on_this_machine_only(self):
        sample_runs.write_runs(self.folder / "runs", seeds=(1,))
        with subprocess.Popen([PROGRAM, "report", "runs", "--watch"], cwd=self.folder, stdout=subprocess.PIPE,
                              text=True) as server:
            try:
                address, rest = server.stdout.readline().split(" ", 1)
                self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/$")
                self.assertEqual(rest, "follows the runs; Ctrl-C ends it\n")
                port = int(address.split(":")[2].rstrip("/"))
                page = urllib.request.urlopen(address)
                self.assertIn(b'<meta name="plr-live" content="2">', page.read())
                unchanged = urllib.request.Request(address, headers={"If-None-Match": page.headers["ETag"]})
                for request, status in ((unchanged, 304), (address + "etc/passwd", 404), (address + "../", 404),
                                        (urllib.request.Request(address, headers={"Host": "evil.example"}), 403),
                                        (urllib.request.Request(address, data=b"x"), 405)):
                    with self.assertRaises(urllib.error.HTTPError) as error:
                        urllib.request.urlopen(request)
                    self.assertEqual(error.exception.code, status)
                    error.exception.close()
                with open(f"/proc/net/tcp") as table:  # local addresses are in hexadecimal digits
                    listening = [line.split()[1] for line in table if f":{port:04X} " in line and " 0A " in line]
                self.assertEqual(listening, [f"0100007F:{port:04X}"])
                done = plr("report", "runs", "--watch", "--port", str(port), cwd=self.folder)
                self.assertEqual((done.returncode, done.stderr), (
                    2, f"plr report: cannot listen on 127.0.0.1:{port}: Address already in use; "
                       "name another --port, or none\n"))
            finally:
                server.terminate()
            self.assertEqual(server.wait(timeout=30), 0)
        self.assertFalse((self.folder / "runs/report.html").exists())

    def test_bad_arguments_of_watch_are_refused(self):
        sample_runs.write_runs(self.folder / "runs", seeds=(1,))
        for arguments, message in ((["nowhere", "--watch"], "there is no folder nowhere; start the run first"),
                                   (["runs", "--watch", "--baseline", "prl"], "no run has the method 'prl'"),
                                   (["runs", "--watch", "--port", "70000"], "--port"),
                                   (["runs", "--port", "8600"], "--watch"),
                                   (["runs", "--watch", "--json"], "--json")):
            done = plr("report", *arguments, cwd=self.folder)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(message, done.stderr)

    # ---- messages

    def test_mixed_behavior_versions_are_named_in_one_line(self):
        sample_runs.write_runs(self.folder / "runs", seeds=(1,))
        path = self.folder / "runs/multiroom-n4-random-plr-s1/eval.jsonl"
        path.write_text(path.read_text().replace('{"steps"', '{"behavior_version": 2, "steps"'))
        done = self.report("runs", "--export", "figures")
        self.assertEqual(done.stderr, "behavior versions are mixed: MultiRoom-N4-Random (version 1: 1 run, "
                                      "version 2: 1 run)\n")
        self.assertIn('minigrid/MultiRoom-N4-Random,"plr",1,2,', (self.folder / "figures/runs.csv").read_text())

    def test_unreadable_runs_are_named_and_the_others_reported(self):
        sample_runs.write_runs(self.folder / "runs", seeds=(1,))
        (self.folder / "runs/foreign").mkdir()
        (self.folder / "runs/foreign/config.toml").write_text('name = "other"\n')
        (self.folder / "empty").mkdir()
        with open(self.folder / "runs/multiroom-n4-random-plr-s1/eval.jsonl", "a") as file:
            file.write("damaged\n")
        done = self.report("runs", "empty", "nowhere")
        self.assertEqual(done.stderr.splitlines(), [
            "left out: empty holds no run (no config.toml in it or below)",
            "left out: there is no folder nowhere",
            "left out: runs/foreign/config.toml does not belong to a run: it has no env",
            "runs/multiroom-n4-random-plr-s1: eval.jsonl: 1 damaged line left out, the first is line 31 "
            "(not a JSON object)"])
        self.assertIn("4 runs in runs/report.html", done.stdout)

    def test_folders_without_runs_are_rejected(self):
        (self.folder / "empty").mkdir()
        done = plr("report", "empty", "nowhere", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "plr report: nothing to report: empty holds no run (no config.toml in "
                                      "it or below); there is no folder nowhere\n")
        self.assertEqual(list((self.folder / "empty").iterdir()), [])

    def test_unknown_methods_are_rejected_with_a_suggestion(self):
        sample_runs.write_runs(self.folder / "runs", seeds=(1,))
        for arguments in (["--compare", "prl", "uniform"], ["--baseline", "prl"]):
            done = plr("report", "runs", *arguments, cwd=self.folder)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))
            self.assertIn("no run has the method 'prl'; did you mean plr?", done.stderr)
        self.assertFalse((self.folder / "runs/report.html").exists())

    # ---- numbers

    def assert_summarizes(self, summary, values):
        self.assertAlmostEqual(summary["mean"], numpy.mean(values), places=12)
        self.assertAlmostEqual(summary["deviation"], numpy.std(values, ddof=1), places=12)

    @unittest.skipUnless(scipy, "needs scipy")
    def test_numbers_match_scipy(self):
        sample_runs.write_runs(self.folder / "runs", seeds=range(1, 6))
        result = json.loads(self.report("runs", "--json").stdout)
        self.assertEqual(result["baseline"], "uniform")
        pooled = {"uniform": [], "plr": []}
        relative = numpy.zeros(5)
        for env in result["envs"]:
            uniform, plr_ = env["methods"]["uniform"], env["methods"]["plr"]
            for quantity, ours in plr_["against_baseline"].items():
                theirs = scipy.stats.ttest_ind(plr_[quantity]["values"], uniform[quantity]["values"],
                                               equal_var=False)
                self.assertAlmostEqual(ours["t"], theirs.statistic, places=9)
                self.assertAlmostEqual(ours["df"], theirs.df, places=8)
                self.assertAlmostEqual(ours["p"] / theirs.pvalue, 1, places=8)
            for name, method in env["methods"].items():
                pooled[name] += method["test"]["values"]
                for quantity in ("test", "train", "gap", "success", "worst_tenth", "curve", "train_curve"):
                    self.assert_summarizes(method[quantity], method[quantity]["values"])
            relative += numpy.array(plr_["test"]["values"]) / numpy.mean(uniform["test"]["values"]) / 2
        family = result["families"][0]["methods"]
        for name, values in pooled.items():
            self.assertAlmostEqual(family[name]["interquartile_mean"], scipy.stats.trim_mean(values, 0.25), places=12)
            low, high = family[name]["interval"]
            self.assertLess(low, family[name]["interquartile_mean"])
            self.assertGreater(high, family[name]["interquartile_mean"])
        self.assert_summarizes(family["plr"]["relative"], relative)
        for quantity in ("test", "train", "gap"):
            means = {name: numpy.mean([env["methods"][name][quantity]["values"] for env in result["envs"]], axis=0)
                     for name in pooled}
            # MiniGrid's returns are from 0 to 1.
            normalized = "normalized" if quantity == "test" else "normalized_" + quantity
            for key in (quantity, normalized):
                self.assert_summarizes(family["plr"][key], means["plr"])
                theirs = scipy.stats.ttest_ind(means["plr"], means["uniform"], equal_var=False)
                self.assertAlmostEqual(family["plr"]["against_baseline"][key]["p"] / theirs.pvalue, 1, places=8)

    @unittest.skipUnless(scipy, "needs scipy")
    def test_areas_under_curves_and_worst_tenths_match_numpy(self):
        sample_runs.write_run(self.folder / "a", "plr", sample_runs.ENVS[0], 1)
        records = [json.loads(line) for line in (self.folder / "a/eval.jsonl").read_text().splitlines()]
        steps = [record["steps"] for record in records]
        returns = [record["test_return"] for record in records]
        result = json.loads(self.report("a", "--json").stdout)
        self.assertAlmostEqual(result["envs"][0]["methods"]["plr"]["curve"]["values"][0],
                               numpy.trapezoid(returns, steps) / (steps[-1] - steps[0]), places=12)
        worst = sorted(records[-1]["test_returns"])[:10]
        self.assertAlmostEqual(result["envs"][0]["methods"]["plr"]["worst_tenth"]["values"][0],
                               numpy.mean(worst), places=12)


if __name__ == "__main__":
    unittest.main()
