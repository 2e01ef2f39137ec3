"""Renders conda's recipe for each platform and holds it to pyproject.toml: `make wheel`.

    python tools/check_recipe.py

rattler-build's own reader refuses unknown keys, and what it renders names the packages as conda does.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

from rattler_build import JinjaConfig, PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "tools" / "conda"
PLATFORMS = ("linux-64", "linux-aarch64", "osx-64", "osx-arm64", "win-64")

#: Packages that have another name on conda-forge.
NAMES = {"matplotlib": "matplotlib-base"}


def asked(project: dict[str, Any]) -> set[str]:
    """Packages of `[project]` in conda's words, for the least Python: `numpy >=2.0`."""
    found = {f"python {project['requires-python']}"}
    for line in project["dependencies"]:
        name = re.split("[<>=;]", line)[0]
        if "python_version" not in line:
            found.add(f"{NAMES.get(name, name)} {line.removeprefix(name)}")
    return found


def main() -> None:
    """Renders and compares."""
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
    python = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (builder,) = (line for line in python["build-system"]["requires"] if line.startswith("maturin"))
    host, run = builder.replace("maturin", "maturin "), asked(python["project"])
    for platform in PLATFORMS:
        known = PlatformConfig(target_platform=platform, build_platform=platform, host_platform=platform)
        variants = VariantConfig.from_file_with_context(FOLDER / "variants.yaml", JinjaConfig(platform=known))
        (rendered,) = Stage0Recipe.from_file(FOLDER / "recipe.yaml").render(variants, RenderConfig(platform=known))
        recipe = rendered.recipe
        needed = recipe.requirements.to_dict()
        assert recipe.package.version == version, f"{recipe.package.version} is not {version} of Cargo.toml"
        assert set(needed["run"]) == run, set(needed["run"]) ^ run
        assert host in needed["host"], needed["host"]
        print(f"conda's recipe, {platform}: renders as {recipe.build.string}")


if __name__ == "__main__":
    main()
