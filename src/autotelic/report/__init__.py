"""One self-contained HTML page for a folder of runs: no network, no other file needed."""

from autotelic.report.page import report_page as report_page
from autotelic.report.page import write_report as write_report
