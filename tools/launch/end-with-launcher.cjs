// Loaded into the host before its own code: when the launcher is gone, however it ended, the host shuts down in order.
// Without it a killed launcher would leave a host that holds the ports of the next start.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
