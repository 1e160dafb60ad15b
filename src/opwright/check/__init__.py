"""The checked twin as Python sees it: launching, findings, reports. The engine is `twin/library/check/`."""
