import { renameSync } from 'node:fs';

/** Puts a link in the place of a folder and back, as fast as it can, until it is killed. */
function main(folder: string, link: string): void {
  process.stdout.write('swapping\n');
  for (;;) {
    renameSync(folder, `${folder}.real`);
    renameSync(link, folder);
    renameSync(folder, link);
    renameSync(`${folder}.real`, folder);
  }
}

main(process.argv[2] ?? '', process.argv[3] ?? '');
