-- What referees judge is a function of the log; no program has read these tables.

DROP TABLE match_summary;

DROP TABLE alert;
