import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Starts a Chromium without windows: the one in CHROMIUM_PATH. @throws without one, for pages never shown are not tested */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  if (!existsSync(executablePath))
    throw new Error(`no browser at ${executablePath}: install Chromium or name one in CHROMIUM_PATH`);
  return chromium.launch({
    executablePath,
    // Continuous integration runs as root, where Chromium refuses to use a sandbox. The pages are our own, and have one
    // process: one for each frame that a test opens takes a third more of the machine.
    args: ['--no-sandbox', '--renderer-process-limit=1', '--disable-site-isolation-trials'],
    // Names of downloads follow the locale: in none of its own, those that are not ASCII get lost.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    timeout: 30_000,
  });
}
