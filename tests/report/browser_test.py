"""Tests of the report page in Chromium: charts, toggles, tooltips, zoom, phones, dark mode, print.

Run by ctest with the program's path in PLR_PROGRAM; skipped without Chromium. With
PLR_SCREENSHOTS=DIR, screenshots of the page are stored there.
"""

import base64
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from program import plr  # noqa: E402
import browser  # noqa: E402
import sample_runs  # noqa: E402

if not browser.program():
    print("skipped: Chromium is not installed (sudo apt-get install chromium)")
    sys.exit(77)

# Whether a pixel of a canvas has a color, within a tolerance for anti-aliased lines.
SHOWS = """(canvas, red, green, blue) => {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  for (let i = 0; i < pixels.length; i += 4) {
    const distance = Math.abs(pixels[i] - red) + Math.abs(pixels[i + 1] - green) + Math.abs(pixels[i + 2] - blue);
    if (distance < 20 && pixels[i + 3] > 180) return true;
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
        sample_runs.write_runs(runs)
        cls.page = runs / "report.html"
        done = plr("report", str(runs), "--compare", "plr", "uniform")
        assert done.returncode == 0, done.stderr
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def open(self, **options):
        self.browser.open(self.page, **options)
        self.addCleanup(lambda: self.assertEqual(self.browser.errors, []))

    def shows(self, canvas, color):
        return self.browser.evaluate(f"({SHOWS})({canvas}, {color})")

    def pixels(self, canvas):
        return self.browser.evaluate(f"{canvas}.toDataURL()")

    def test_all_charts_are_drawn_without_network_requests(self):
        self.open()
        # Curves: the family and each of its two environments. Details of the selected run:
        # curriculum, effective number of levels, mean score, score, staleness and speed.
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#curve-charts canvas').length"), 3)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#detail-charts canvas').length"), 6)
        self.assertTrue(self.browser.evaluate(
            f"[...document.querySelectorAll('canvas')].every(canvas => ({SHOWS})(canvas, {UNIFORM}))"))
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
            "(() => { const run = document.getElementById('run'); run.value = '2';"
            "run.dispatchEvent(new Event('change')); })()")
        self.browser.settle()
        # A run of uniform sampling has a chart of its speed, but none of a curriculum.
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#detail-charts canvas').length"), 1)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.run-pictures:not([hidden])').length"), 0)

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


if __name__ == "__main__":
    unittest.main()
