/** Messages of the server to directors, under the pages' names. {@link ./api} has the decoders, which the server's description gives. */
import type { FindingLine } from './api';
import type { RoundFinding } from '../event-api';

export { event as eventSheet, standings as standingsSheet } from '../event-api';
export type { Chart, Event as EventSheet, Explanation, Pairing as PairingSheet, Section as SectionSheet, Standings as StandingsSheet } from '../event-api';
export { directorMatch, directorsBeat as tdBeat, findingLines, invitation, me, needs as needsEvent, paired, preview, rank, report, rulebook, seat, staff, taken, verdict } from './api';
export type { Alert, Claim, Device, DirectorMatch, FindingLine, LedgerLine, Me, Need, Order, PairingChoice, PhotoFinish, Preview, PutUp, Question, Rank, ReportLine, Seat, Verdict, ZeroTest as ZeroTestResult } from './api';

export type Finding = RoundFinding;
export const TREATMENTS = ['alert', 'list', 'log', 'off'] as const satisfies readonly FindingLine['treatment'][];
