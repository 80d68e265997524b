import { escapeControls } from './safe-text';

/** One JSON log line as a line for people: time, level, message, then the fields as `name=value`. */
export function formatLine(line: string): string {
  const { time, level, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = String(time).slice(11, 23);
  const facts = Object.entries(fields).map(([name, value]) => ` ${name}=${formatValue(value)}`);
  return `${clock} ${String(level).toUpperCase().padEnd(5)} ${escapeControls(String(msg))}${facts.join('')}\n`;
}

function formatValue(value: unknown): string {
  // Strings were escaped when they were logged; what JSON adds is quotes where a value would run into its neighbour.
  if (typeof value === 'string') return /[\s"=]/.test(value) ? `"${value.replaceAll('"', "'")}"` : value;
  return escapeControls(JSON.stringify(value));
}
