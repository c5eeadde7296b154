"""Builds the wheel (PEP 517): CMake makes the shared library, which goes beside the Python files of the package.

Standard library only, so that a checkout builds without a network; needed are CMake, a C compiler and the libraries of
the group `build` in tools/packages.txt.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "scant"
LEFT_OUT = {".git", "__pycache__"}


def version():
    return re.search(r"project\(scant VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def metadata():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version()}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {need}" for need in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need} ; extra == "{extra}"' for need in needs]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / project["readme"]).read_text()]
    return "\n".join(lines)


def tag():
    """Any Python 3, this platform: ctypes needs no particular interpreter."""
    return f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def library(folder):
    """Builds the shared library below `folder`; its path."""
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DSCANT_TESTS=OFF"],
                   check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "scant", "--parallel"], check=True)
    return (pathlib.Path(folder) / "libscant.so").resolve()


class Wheel:
    """A zip file with a list of what is in it."""

    def __init__(self, folder):
        self.info = f"scant-{version()}.dist-info"
        self.name = f"scant-{version()}-{tag()}.whl"
        self.archive = zipfile.ZipFile(os.path.join(folder, self.name), "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, content):
        self.archive.writestr(name, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")

    def close(self):
        self.add(f"{self.info}/METADATA", metadata().encode())
        self.add(f"{self.info}/LICENSE", (ROOT / "LICENSE").read_bytes())
        self.add(f"{self.info}/WHEEL", "Wheel-Version: 1.0\nGenerator: scant\nRoot-Is-Purelib: false\n"
                 f"Tag: {tag()}\n".encode())
        self.record.append(f"{self.info}/RECORD,,")
        self.archive.writestr(f"{self.info}/RECORD", "\n".join(self.record) + "\n")
        self.archive.close()
        return self.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del config_settings, metadata_directory
    wheel = Wheel(wheel_directory)
    for path in sorted(PACKAGE.glob("*.py")):
        wheel.add(f"scant/{path.name}", path.read_bytes())
    with tempfile.TemporaryDirectory(prefix="scant-build-") as folder:
        wheel.add("scant/libscant.so", library(folder).read_bytes())
    return wheel.close()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package is used where it lies, with the library of the checkout's build folder."""
    del config_settings, metadata_directory
    wheel = Wheel(wheel_directory)
    wheel.add("scant.pth", f"{PACKAGE.parent}\n".encode())
    return wheel.close()


def sources():
    """The files that git knows; of a tree without git all but what builds leave."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
        found = [ROOT / name for name in listed.split("\0") if name]
    else:
        found = [path for path in ROOT.rglob("*") if not LEFT_OUT & set(path.relative_to(ROOT).parts)
                 and not path.relative_to(ROOT).parts[0].startswith("build")]
    return sorted(path for path in found if path.is_file())


def build_sdist(sdist_directory, config_settings=None):
    del config_settings
    base = f"scant-{version()}"
    with tarfile.open(os.path.join(sdist_directory, f"{base}.tar.gz"), "w:gz") as archive:
        for path in sources():
            archive.add(path, f"{base}/{path.relative_to(ROOT).as_posix()}")
        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        with tempfile.TemporaryFile() as file:
            info.size = file.write(metadata().encode())
            file.seek(0)
            archive.addfile(info, file)
    return f"{base}.tar.gz"
