"""SARIF 2.1.0: what the format requires, and what a report says."""

import json
from pathlib import Path

import numpy as np
import pytest
from check_kernels import adds_one, two_mistakes

from opwright import errors
from opwright.check.sarif import sarif
from opwright.findings.finding import Report

KERNELS_FILE = Path(__file__).parent / "check_kernels.py"


@pytest.fixture(scope="module")
def report() -> Report:
    with pytest.raises(errors.UninitialisedRead):
        two_mistakes.check[2](np.arange(1024, dtype=np.float32), np.zeros(2048, np.float32), 3)
    return two_mistakes.check.report()


def run_of(text: str) -> dict:
    """The only run of a log, after the checks of what every log must have (sections 3.13 to 3.52 of the standard)."""
    log = json.loads(text)
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "opwright" and driver["semanticVersion"]
    identities = [rule["id"] for rule in driver["rules"]]
    assert len(set(identities)) == len(identities)
    for result in run["results"]:
        assert result["message"]["text"] and result["level"] in ("error", "warning", "note")
        assert identities[result["ruleIndex"]] == result["ruleId"]
        assert result["occurrenceCount"] >= 1
        for location in (*result["locations"], *result.get("relatedLocations", ())):
            place = location["physicalLocation"]
            assert place["region"]["startLine"] >= 1 and place["region"]["startColumn"] >= 1
            uri = place["artifactLocation"]["uri"]
            assert ("uriBaseId" in place["artifactLocation"]) == (not uri.startswith("file:///"))
            assert " " not in uri and "\\" not in uri
        numbers = [location["id"] for location in result.get("relatedLocations", ())]
        assert numbers == list(range(len(numbers)))
        assert all(location["message"]["text"] for location in result.get("relatedLocations", ()))
    return run


def test_rules_are_the_classes_of_errors(report: Report) -> None:
    rules = {
        rule["id"]: rule["shortDescription"]["text"]
        for rule in run_of(sarif(report, Path.cwd()))["tool"]["driver"]["rules"]
    }
    classes = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.RunError)]
    assert rules == {kind.__name__: kind.__doc__ for kind in classes}


def test_results(report: Report) -> None:
    run = run_of(sarif(report, KERNELS_FILE.parents[1]))
    assert [result["ruleId"] for result in run["results"]] == ["UninitialisedRead", "RaceError"]
    for result, finding in zip(run["results"], report, strict=True):
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"] == {
            "uri": "check/check_kernels.py",
            "uriBaseId": "%SRCROOT%",
        }
        assert location["physicalLocation"]["region"]["startLine"] == finding.at.line
        assert location["physicalLocation"]["region"]["snippet"]["text"] == finding.at.text.rstrip()
        assert location["logicalLocations"] == [{"name": "two_mistakes", "kind": "function"}]
        assert finding.message in result["message"]["text"]
        assert f"hint: {finding.hint}" in result["message"]["text"]
    unwritten, race = run["results"]
    assert "relatedLocations" not in unwritten
    (first,) = race["relatedLocations"]
    assert first["physicalLocation"]["region"]["startLine"] == report.findings[1].first.at.line
    assert first["message"]["text"] == "the earlier access: V reads here (core 0, iteration 1)"
    assert race["occurrenceCount"] == 4


def test_a_file_elsewhere_has_its_whole_address(report: Report, tmp_path: Path) -> None:
    uri = run_of(sarif(report, tmp_path))["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == KERNELS_FILE.as_uri()


def test_nothing_found() -> None:
    adds_one.check[1](np.zeros(64, np.float32), np.zeros(64, np.float32))
    assert run_of(sarif(adds_one.check.report(), Path.cwd()))["results"] == []
