"""Tests of the report page in Chromium: charts, controls, tooltips, zoom, links, phones, dark mode, print, live mode.

Run by ctest with the program's path in PLR_PROGRAM; skipped without Chromium. With
PLR_SCREENSHOTS=DIR, screenshots of the page are stored there.
"""

import base64
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from program import PROGRAM, plr  # noqa: E402
import browser  # noqa: E402
import sample_runs  # noqa: E402

if not browser.program():
    print("skipped: Chromium is not installed (sudo apt-get install chromium)")
    sys.exit(77)

# Whether a pixel of a canvas has a color, within a tolerance for anti-aliased lines.
SHOWS = """(canvas, red, green, blue, tolerance = 20) => {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  for (let i = 0; i < pixels.length; i += 4) {
    const distance = Math.abs(pixels[i] - red) + Math.abs(pixels[i + 1] - green) + Math.abs(pixels[i + 2] - blue);
    if (distance < tolerance && pixels[i + 3] > 100) return true;
  }
  return false;
}"""
UNIFORM, PLR = "0, 114, 178", "213, 94, 0"  # the first two colors of method_color()
FIRST = "document.querySelector('#curve-charts canvas')"
BUTTON = "[...document.querySelectorAll('button')].find(b => b.textContent === '{}')"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        runs = pathlib.Path(cls.folder.name) / "runs"
        sample_runs.write_runs(runs, resumed_at=12)
        cls.page = runs / "report.html"
        done = plr("report", str(runs), "--compare", "plr", "uniform")
        assert done.returncode == 0, done.stderr
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def open(self, page=None, link="", **options):
        self.browser.open(str(page or self.page) + link, **options)
        self.addCleanup(lambda: self.assertEqual(self.browser.errors, []))

    def shows(self, canvas, color):
        return self.browser.evaluate(f"({SHOWS})({canvas}, {color})")

    def num_charts(self, section):
        return self.browser.evaluate(f"document.querySelectorAll('#{section}-charts canvas').length")

    def text(self, selector):
        return self.browser.evaluate(f"document.querySelector({selector!r}).textContent")

    def pixels(self, canvas):
        return self.browser.evaluate(f"{canvas}.toDataURL()")

    def test_all_charts_are_drawn_without_network_requests(self):
        self.open()
        # Curves: the family and each of its two environments. Details of the selected run: curriculum by
        # difficulty, by rank and by level, effective number of levels, mean score, score, staleness, speed.
        self.assertEqual(self.num_charts("curve"), 3)
        self.assertEqual(self.num_charts("profile"), 1)
        self.assertEqual(self.num_charts("diagnostic"), 10)  # without DrAC's loss
        self.assertEqual(self.num_charts("detail"), 8)
        self.assertEqual(self.browser.evaluate(
            "charts.filter(({ chart }) => !(%s)(chart.ctx.canvas, %s, 40)).map(({ key }) => key)" % (SHOWS, UNIFORM)), [])
        self.assertTrue(self.shows(FIRST, PLR))
        self.assertEqual([url for url in self.browser.requests
                          if not url.startswith(("file:", "data:"))], [])

    def test_a_method_button_hides_and_shows_its_lines(self):
        self.open()
        self.browser.click(BUTTON.format("plr"))
        self.assertFalse(self.shows(FIRST, PLR))
        self.assertTrue(self.shows(FIRST, UNIFORM))
        self.browser.click(BUTTON.format("plr"))
        self.assertTrue(self.shows(FIRST, PLR))

    def test_a_quantity_button_changes_the_curves(self):
        self.open()
        before = self.pixels(FIRST)
        self.browser.click(BUTTON.format("gap"))
        self.assertNotEqual(self.pixels(FIRST), before)
        self.assertIn("training minus test", self.browser.evaluate(
            "document.querySelector('#curve-charts .chart').textContent"))

    def test_hovering_over_a_curve_shows_its_values(self):
        self.open()
        x, y, *_ = self.browser.center("document.querySelector('#curve-charts .u-over')")
        self.browser.mouse("mouseMoved", x, y)
        self.browser.settle()
        text = self.browser.evaluate("document.querySelector('.tip:not([hidden])').textContent")
        self.assertRegex(text, r"steps.*uniform  0\.\d+ ± 0\.\d+  \(3 runs\).*plr  0\.\d+ ±")

    def test_dragging_zooms_and_a_double_click_resets(self):
        self.open()
        over = "document.querySelector('#curve-charts .u-over')"
        whole = self.pixels(FIRST)
        x, y, width, _ = self.browser.center(over)
        self.browser.drag((x - width / 4, y), (x + width / 4, y))
        self.assertNotEqual(self.pixels(FIRST), whole)
        self.browser.click(over, count=2)
        self.assertEqual(self.pixels(FIRST), whole)

    def test_selecting_a_run_shows_its_details(self):
        self.open()
        self.assertGreater(self.browser.evaluate(
            "[...document.querySelectorAll('.run-pictures:not([hidden]) img')].filter(i => i.naturalWidth > 50).length"), 11)
        self.browser.evaluate(
            "(() => { const run = document.getElementById('run'); run.value = run.options[2].value;"
            "run.dispatchEvent(new Event('change')); })()")
        self.browser.settle()
        # A run of uniform sampling has a chart of its speed, but none of a curriculum.
        self.assertEqual(self.num_charts("detail"), 1)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.run-pictures:not([hidden])').length"), 0)

    def test_the_x_axis_can_be_gradient_updates_or_time(self):
        self.open()
        steps = self.pixels(FIRST)
        self.browser.click(BUTTON.format("wall-clock"))
        self.assertNotEqual(self.pixels(FIRST), steps)
        # uniform ends after 30 updates of 40 s, though each run was resumed after 12; plr takes 50 s.
        self.assertEqual(self.browser.evaluate("charts[0].chart.axes[0].label"), "minutes")
        x, uniform, plr_ = self.browser.evaluate(
            "(() => { const c = charts[0].chart; const end = (n) => c.data[0].filter((_, i) => "
            "c.data[c.series.findIndex(s => s.label === n)][i] != null).at(-1);"
            "return [c.data[0].at(-1), end('uniform'), end('plr')]; })()")
        self.assertEqual((x, uniform, plr_), (25, 20, 25))
        self.browser.click(BUTTON.format("gradient updates"))
        self.assertEqual(self.browser.evaluate("charts[0].chart.data[0].at(-1)"), 30)
        self.assertIn("gradient updates", self.browser.evaluate(
            "charts.find(c => c.key.includes('Steps per second')).chart.axes[0].label"))

    def test_smoothing_draws_a_moving_mean_over_the_pale_line(self):
        self.open()
        column = "(() => { const c = charts[0].chart; return c.data[c.series.findIndex(s => s.label === 'plr')]; })()"
        raw = self.browser.evaluate(column)
        self.browser.evaluate("(() => { const s = document.getElementById('smoothing'); s.value = 20;"
                              "s.dispatchEvent(new Event('input')); })()")
        smooth = self.browser.evaluate(column)
        self.assertEqual(self.text("#smoothing-text"), "20 %")
        # A fifth of the range of 30 points is 5.8 points: two neighbors at each side.
        self.assertAlmostEqual(smooth[10], sum(raw[8:13]) / 5, places=12)
        roughness = lambda y: sum(abs(a - 2 * b + c) for a, b, c in zip(y, y[1:], y[2:]))
        self.assertLess(roughness(smooth), roughness(raw) / 2)

    def test_a_link_restores_what_the_reader_chose(self):
        self.open()
        self.browser.click(BUTTON.format("gap"))
        self.browser.click(BUTTON.format("wall-clock"))
        self.browser.click(BUTTON.format("uniform"))
        link = self.browser.evaluate("location.hash")
        picture = self.pixels(FIRST)
        self.open(link=link)
        self.assertEqual(self.pixels(FIRST), picture)
        self.assertEqual(self.browser.evaluate(
            "[...document.querySelectorAll('#controls [aria-pressed=true]')].map(b => b.textContent)"),
            ["wall-clock", "plr"])
        self.open(link="#x=nonsense&quantity=7&smoothing=-3&run=none&hide=none")  # is ignored
        self.assertEqual(self.num_charts("detail"), 8)

    def test_settings_show_differences_and_on_request_all(self):
        self.open()
        shown = ("[...document.querySelectorAll('#table-settings tbody tr')]"
                 ".filter(row => row.offsetHeight > 0).map(row => row.firstChild.textContent)")
        self.assertEqual(self.browser.evaluate(shown), ["curriculum", "staleness_coef"])
        self.browser.click("document.getElementById('all-settings')")
        self.assertEqual(self.browser.evaluate(shown),
                         ["curriculum", "staleness_coef", "learning_rate", "levels", "steps"])

    def test_probabilities_of_improvement_are_drawn(self):
        self.open()
        self.assertRegex(self.text("#improvements"), r"^MiniGrid: plr > uniform1\.00 \[1\.00, 1\.00\]$")

    def page_of(self, name, *runs):
        """The page of runs given as arguments of write_run()."""
        folder = pathlib.Path(self.folder.name) / name
        for i, (arguments, options) in enumerate(runs):
            sample_runs.write_run(folder / str(i), *arguments, **options)
        done = plr("report", str(folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder / "report.html"

    def test_coinciding_curves_are_both_visible(self):
        test = sample_runs.returns("plr", "x", 1, 30)
        env = "minigrid/MiniGrid-Empty-5x5-v0"
        self.open(self.page_of("same", *(((method, env, 1), {"test": test, "has_difficulty": False})
                                         for method in sample_runs.METHODS)))
        self.assertTrue(self.shows(FIRST, UNIFORM))
        self.assertTrue(self.shows(FIRST, PLR))
        self.assertEqual(self.browser.evaluate("charts[0].chart.series.filter(s => s.dash).length"), 1)
        # A difference over a part of the run: the rest stays dashed.
        other = test[:20] + [value / 2 for value in test[20:]]
        self.open(self.page_of("partly", (("uniform", env, 1), {"test": test}), (("plr", env, 1), {"test": other})))
        lengths = self.browser.evaluate("charts[0].chart.data.slice(2).map(y => y.filter(v => v != null).length)")
        self.assertEqual(lengths, [30, 20, 11])  # the whole, dashed, and solid from the last common point on
        self.assertTrue(self.shows(FIRST, UNIFORM) and self.shows(FIRST, PLR))

    def test_one_run_has_neither_bands_nor_intervals(self):
        self.open(self.page_of("one", (("plr", sample_runs.ENVS[0], 1), {})))
        self.assertEqual(self.browser.evaluate("charts[0].chart.bands.length"), 0)
        self.assertNotIn("[", self.text("#table-robust"))
        self.assertTrue(self.browser.evaluate("document.getElementById('profiles').hidden"))
        self.assertGreater(self.browser.evaluate("document.querySelectorAll('#table-settings tr.same').length"), 3)
        x, y, *_ = self.browser.center("document.querySelector('#curve-charts .u-over')")
        self.browser.mouse("mouseMoved", x, y)
        self.browser.settle()
        self.assertRegex(self.text(".tip:not([hidden])"), r"plr  0\.\d+  \(1 run\)$")

    def test_noise_does_not_fill_an_axis(self):
        self.open()
        low, high = self.browser.evaluate("axisRange(2.038, 2.044, 0)")
        self.assertGreater(high - low, 0.2)  # a tenth of the number
        low, high = self.browser.evaluate("axisRange(0.001, 0.002, 0.05)")
        self.assertEqual(low, 0)
        self.assertGreater(high, 0.025)
        self.assertEqual(self.browser.evaluate("axisRange(0, 1, 0)"), [0, 1.06])
        scale = self.browser.evaluate("(() => { const { min, max } = charts.find(c => c.key.includes("
                                      "'advantages')).chart.scales.y; return [min, max]; })()")
        self.assertGreater(scale[1] - scale[0], 0.01)  # of a constant 0.1

    def test_levels_without_difficulty_have_a_curriculum_over_time(self):
        self.open(self.page_of("plain", (("plr", "minigrid/MiniGrid-Empty-5x5-v0", 1), {"has_difficulty": False})))
        titles = self.browser.evaluate("[...document.querySelectorAll('#detail-charts h3')].map(h => h.textContent)")
        self.assertEqual(titles[:2], ["Curriculum: probability by rank", "Curriculum: the ten most probable levels"])
        self.assertTrue(self.browser.evaluate(
            f"[...document.querySelectorAll('#detail-charts canvas')].slice(0, 2).every(c => ({SHOWS})(c, {UNIFORM}, 40))"))
        x, y, *_ = self.browser.center("document.querySelectorAll('#detail-charts .u-over')[1]")
        self.browser.mouse("mouseMoved", x, y)
        self.browser.settle()
        self.assertRegex(self.text(".tip:not([hidden])"), r"steps(level \d+  \d+\.?\d* %){4}$")

    def test_a_watched_page_follows_the_runs(self):
        folder = pathlib.Path(self.folder.name) / "live"
        folder.mkdir()
        with subprocess.Popen([PROGRAM, "report", str(folder), "--watch"], stdout=subprocess.PIPE, text=True) as server:
            try:
                address = server.stdout.readline().split()[0]
                self.open(address)
                self.assertIn("Waiting for the first record", self.text("body"))
                sample_runs.write_run(folder / "a", "plr", sample_runs.ENVS[0], 1, num_points=10, is_finished=False)
                self.browser.wait_for("document.querySelectorAll('canvas').length > 10")
                self.browser.wait_for("document.getElementById('live').textContent.startsWith('live, updated')")
                self.browser.click(BUTTON.format("wall-clock"))
                self.browser.click(BUTTON.format("gap"))
                before = self.text("#tables")
                self.browser.evaluate("document.body.mark = 1")
                sample_runs.write_run(folder / "b", "uniform", sample_runs.ENVS[0], 1, num_points=10)
                self.browser.wait_for("data.labels.length === 2")
                self.assertNotEqual(self.text("#tables"), before)
                self.assertTrue(self.shows(FIRST, UNIFORM) and self.shows(FIRST, PLR))
                # The same page, with what the reader chose.
                self.assertEqual(self.browser.evaluate("[document.body.mark, state.axis, state.quantity]"),
                                 [1, "seconds", "gap"])
                self.assertEqual({url.split("/")[2] for url in self.browser.requests if url.startswith("http")},
                                 {address.split("/")[2]})
                server.send_signal(signal.SIGINT)
                self.assertEqual(server.wait(timeout=30), 0)
                self.browser.wait_for("document.getElementById('live').textContent.startsWith('not live')")
                self.browser.errors.clear()  # the refused connection
            finally:
                server.kill()

    def test_tables_are_side_by_side_where_there_is_room(self):
        page = self.page_of("tables", (("plr", sample_runs.ENVS[0], 1), {}))
        rows = "new Set([...document.querySelectorAll('.result')].map(e => e.offsetTop)).size"
        self.open(page, width=1280)
        self.assertLessEqual(self.browser.evaluate(rows), 2)
        self.open(page, width=390, height=844, phone=True)
        self.assertEqual(self.browser.evaluate(rows), 4)

    def test_a_phone_needs_no_horizontal_scrolling(self):
        self.open(width=390, height=844, phone=True)
        self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 390)
        self.assertTrue(self.shows(FIRST, PLR))

    def test_an_open_page_follows_a_change_to_dark_mode(self):
        self.open()
        light = self.pixels(FIRST)
        self.browser.call("Emulation.setEmulatedMedia",
                          features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.browser.settle()
        self.assertNotEqual(self.pixels(FIRST), light)
        self.assertEqual(self.browser.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(20, 22, 27)")

    def test_the_page_can_be_printed(self):
        self.open(dark=True)
        pdf = base64.b64decode(self.browser.call("Page.printToPDF", printBackground=True)["data"])
        self.assertTrue(pdf.startswith(b"%PDF"))
        self.assertGreater(len(pdf), 20_000)

    def test_the_data_can_be_downloaded(self):
        self.open()
        text = self.browser.evaluate("fetch(document.querySelector('a[download=\"curves.csv\"]').href).then(r => r.text())")
        self.assertTrue(text.startswith("env,method,steps,quantity,mean,deviation,runs\n"))
        self.assertEqual(len(text.splitlines()), 1 + 2 * 2 * 3 * 30)

    def test_screenshots_are_stored_on_request(self):
        folder = os.environ.get("PLR_SCREENSHOTS")
        if not folder:
            self.skipTest("PLR_SCREENSHOTS is not set")
        for name, options in {"desktop-light": {}, "desktop-dark": {"dark": True},
                              "phone-light": {"width": 390, "height": 844, "phone": True},
                              "phone-dark": {"width": 390, "height": 844, "phone": True, "dark": True}}.items():
            self.open(**options)
            self.browser.screenshot(os.path.join(folder, name + ".png"))
        # The picture of docs/reports.md.
        self.open(link="#x=seconds&smoothing=8", height=1050)
        self.browser.evaluate("document.getElementById('controls').scrollIntoView()")
        x, y, *_ = self.browser.evaluate(
            "(() => { const box = document.querySelector('#curve-charts .u-over').getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        self.browser.mouse("mouseMoved", x, y)
        self.browser.settle()
        picture = self.browser.call("Page.captureScreenshot")["data"]
        pathlib.Path(folder, "report.png").write_bytes(base64.b64decode(picture))


if __name__ == "__main__":
    unittest.main()
