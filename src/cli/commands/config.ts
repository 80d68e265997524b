import type { ConfigReport } from '../../config';
import { EXIT } from '../exit-codes';
import type { CommandDefinition } from '../program';
import { table } from '../table';
import type { Channel } from '../terminal';

/** `hourglass config`: the effective settings, each with its source; secrets stay hidden. */
export const configCommand: CommandDefinition = (program, bind) => {
  program
    .command('config')
    .description('print the effective configuration and where each value comes from')
    .action(
      bind(async ({ terminal: { out, err }, options }) => {
        const { inspectConfig } = await import('../../config/index.js');
        const report = inspectConfig({ file: options.config });
        for (const warning of report.warnings) err.line(err.colors.yellow(`warning: ${warning}`));
        if (options.json) out.line(JSON.stringify({ file: report.file ?? null, settings: report.settings }, null, 2));
        else print(report, out);
        return EXIT.OK;
      }),
    );
};

function print({ file, settings }: ConfigReport, out: Channel): void {
  const { bold, cyan, dim } = out.colors;
  const rows = settings.map(({ name, value, unit, source, description }) => [
    source === 'default' ? name : cyan(name),
    show(value) + (unit === undefined || value === null ? '' : dim(` ${unit}`)),
    source === 'default' ? dim(source) : bold(source),
    dim(description),
  ]);
  out.line(`Configuration file: ${file ?? 'none'}\n`);
  for (const line of table(['setting', 'value', 'source', 'meaning'], rows)) out.line(line);
}

function show(value: unknown): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
