export { fieldsFromRule, ruleFromFields, type FieldsContext, type RecurrenceFields } from './api-fields';
export { ExpansionBudget } from './expansion-budget';
export { RecurrenceError, type RecurrenceErrorCode } from './recurrence-error';
export type { Frequency, RecurrenceRule, RuleDay, RuleUntil, Weekday } from './rule';
export { createRule, formatRule, parseRule } from './rule-text';
export {
  firstOccurrence,
  isOccurrence,
  lastEndMs,
  nextAfter,
  occurrenceAt,
  occurrencesBetween,
  positionOf,
  validateSeries,
  type Occurrence,
  type RangeOptions,
  type RdatePeriod,
  type Series,
} from './series';
export type { StepBudget } from './step-budget';
export { resolveRequestTimeZone, resolveTimeZone } from './time-zone-names';
export { ZoneOffsets, type ZoneTransition } from './zone-offsets';
