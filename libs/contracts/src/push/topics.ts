/** Topics of what the product tells its users. Their parts are separated by colons. */
export const TOPICS = {
  /** A mail came in: {@link NewMail}. */
  newMail: 'ox:mail:new',
  /** Appointments or calendar folders changed: {@link CalendarNews}. */
  calendarUpdates: 'ox:calendar:updates',
  /** The time of an alarm has come: {@link ReminderNews}. */
  reminderDue: 'ox:reminder:due',
} as const;

/** Data of `ox:mail:new`. */
export interface NewMail {
  /** Full name of the folder: `default0/INBOX`. */
  readonly folder: string;
  /** Id of the mail in its folder. */
  readonly id: string;
  /** Address of the sender, or the raw text where it is no address. */
  readonly email?: string;
  readonly displayname?: string;
  readonly subject?: string;
  /** Unread mails in the folder. */
  readonly unread?: number;
  /** First words of the text. */
  readonly teaser?: string;
}

/** Data of `ox:calendar:updates`: clients ask for updates of these folders. */
export interface CalendarNews {
  readonly folders: readonly string[];
  /** The appointment; absent where the whole folder changed. */
  readonly id?: string;
  readonly change: 'created' | 'changed' | 'deleted' | 'folder';
  /** User who changed it. */
  readonly by?: number;
}

/** Data of `ox:reminder:due`. Times are ms UTC. */
export interface ReminderNews {
  readonly id: number;
  /** 1 appointment, 4 task. */
  readonly module: number;
  readonly target_id: number;
  readonly folder: number;
  readonly alarm: number;
  readonly title: string | null;
  readonly start: number;
  readonly end: number;
  readonly full_time: boolean;
  readonly recurrence_position?: number;
}

/** Longest topic. */
export const MAX_TOPIC_LENGTH = 255;

const TOPIC = /^(\*|[A-Za-z0-9_-]+(:[A-Za-z0-9_-]+)*(:\*)?)$/;

/** True for a topic that can be subscribed: parts of letters, digits, `-` and `_`, separated by colons; `*` alone, or as the last part. */
export const isTopicPattern = (text: string): boolean => text.length <= MAX_TOPIC_LENGTH && TOPIC.test(text);

/** Everything that a topic is told under: itself and the wild cards that cover it. */
export function patternsOf(topic: string): string[] {
  const parts = topic.split(':');
  return [topic, '*', ...parts.slice(1).map((_part, index) => `${parts.slice(0, index + 1).join(':')}:*`)];
}

/** True when one of the subscribed patterns covers the topic. */
export const covers = (patterns: readonly string[], topic: string): boolean => {
  const wanted = patternsOf(topic);
  return patterns.some((pattern) => wanted.includes(pattern));
};
