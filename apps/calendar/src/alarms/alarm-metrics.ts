import { Counter, Gauge, Histogram } from 'prom-client';

const told = new Counter({
  name: 'groupware_calendar_alarms_total',
  help: 'Alarms whose users were told by this process',
});
const delay = new Histogram({
  name: 'groupware_calendar_alarm_delay_seconds',
  help: 'Time between the moment of an alarm and its event',
  buckets: [0.1, 0.5, 1, 2, 5, 15, 60, 300, 3600],
});
const lag = new Gauge({
  name: 'groupware_calendar_alarm_lag_seconds',
  help: 'How long the oldest alarm that waits to be told is overdue, as this process last saw it',
});

/** Notes an alarm that was told so late, ms. */
export function countAlarm(delayMs: number): void {
  told.inc();
  delay.observe(Math.max(0, delayMs) / 1000);
}

/** Notes how long the oldest alarm is overdue, ms; 0 when none is. */
export const setAlarmLag = (lagMs: number): void => lag.set(Math.max(0, lagMs) / 1000);
