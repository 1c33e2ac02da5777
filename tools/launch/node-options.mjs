/**
 * How Node runs the services, wherever they are started. New objects get twice the usual room: with 32 calls under way whose
 * answers take 100 KB each, what is still in use when the usual 16 MB are full is copied, and then kept for long; that took
 * a third of the calendar's processor time. Costs up to 48 MB of memory for each process, under load only.
 */
export const NODE_OPTIONS = ['--max-semi-space-size=32'];
