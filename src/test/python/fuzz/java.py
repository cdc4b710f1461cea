"""How Java's readers are begun: the classes and tests that Maven has compiled, and what they need."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[4]
CLASSES = (ROOT / "target" / "test-classes", ROOT / "target" / "classes")
CLASSPATH = ROOT / "build" / "fuzz" / "classpath"
JAZZER = "com.code-intelligence:jazzer:0.24.0"
MAVEN = ("mvn", "-B", "-ntp", "-q")


@cache
def compile_readers() -> None:
    """Before any of the commands is begun."""
    CLASSPATH.parent.mkdir(parents=True, exist_ok=True)
    goals = ("test-compile", "dependency:build-classpath")
    subprocess.run([*MAVEN, *goals, f"-Dmdep.outputFile={CLASSPATH}"], cwd=ROOT, check=True)


def classpath() -> str:
    return ":".join((*map(str, CLASSES), CLASSPATH.read_text(encoding="utf-8").strip()))


def java_command(main: str, *arguments: str) -> list[str]:
    return ["java", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp", classpath(), main, *arguments]


def jazzer_command(reader: str) -> list[str]:
    """libFuzzer's folders and options go behind it."""
    ours = "io.github.switchover.jmeter"
    return [
        *("java", "-Xmx1g", "-cp", f"{jazzer_jars()}:{classpath()}", "com.code_intelligence.jazzer.Jazzer"),
        f"--target_class={ours}.fuzz.Fuzzed",
        f"--target_args={reader}",
        f"--instrumentation_includes={ours}.**",
        f"--custom_hook_includes={ours}.**",
        "--keep_going=1",
        f"--reproducer_path={CLASSPATH.parent}",
    ]


@cache
def jazzer_jars() -> str:
    """Its version and this pair of files are pinned here; no other part of the house needs them."""
    subprocess.run([*MAVEN, "dependency:get", f"-Dartifact={JAZZER}"], cwd=ROOT, check=True)
    _, name, version = JAZZER.split(":")
    repository = Path.home() / ".m2" / "repository" / "com" / "code-intelligence"
    return ":".join(str(repository / one / version / f"{one}-{version}.jar") for one in (name, f"{name}-api"))
