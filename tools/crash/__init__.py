"""Cases of `crash_campaign.py`."""
