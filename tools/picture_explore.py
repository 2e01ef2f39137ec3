"""Takes the picture of `windward explore` for the documentation, in this machine's browser: `make docs` runs it."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
SCENARIO = ROOT / "scenarios" / "headline.toml"
PICTURE = ROOT / "docs" / "pictures" / "explore.png"

#: Width and height of the window; colours that the picture keeps.
SIZE, COLORS = (1360, 860), 96


def main() -> None:
    """Pins the headline as it is beside one with another law and more loss."""
    path = shutil.which("chromium")
    if path is None:
        print("no picture of `windward explore`: chromium is not installed", file=sys.stderr)
        return
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "windward", "explore", str(SCENARIO), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
        try:
            assert served.stdout is not None
            address = served.stdout.readline().strip()
            with sync_playwright() as driver:
                flags = ["--no-sandbox", "--disable-gpu"]
                browser = driver.chromium.launch(executable_path=path, headless=True, args=flags)
                page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
                page.goto(address)
                page.locator("body[data-done]").wait_for()
                page.click("#pin")
                done = page.get_attribute("body", "data-done")
                page.locator(""".field[data-path='["link",1,"loss"]'] input.value""").fill("1 %")
                page.keyboard.press("Enter")
                page.locator(f"body[data-done]:not([data-done='{done}'])").wait_for()
                page.mouse.move(0, 0)
                page.wait_for_timeout(300)
                shot = page.screenshot()
                browser.close()
        finally:
            served.terminate()
    Image.open(io.BytesIO(shot)).convert("RGB").quantize(COLORS).save(PICTURE, optimize=True)
    print(PICTURE.relative_to(ROOT))


if __name__ == "__main__":
    main()
