/** Languages a request may name. TypeScript runs on the JavaScript runtime after its types are removed. */
export const LANGUAGES = ['python', 'javascript', 'typescript', 'shell'] as const;

export type Language = (typeof LANGUAGES)[number];

/** Language runtimes a sandbox can be born with. */
export const RUNTIMES = ['python', 'javascript', 'shell'] as const;

export type Runtime = (typeof RUNTIMES)[number];

/** The runtime that executes each language. */
export const RUNTIME_OF: Readonly<Record<Language, Runtime>> = {
  python: 'python',
  javascript: 'javascript',
  typescript: 'javascript',
  shell: 'shell',
};

/** File extensions by which the command line recognises a language. */
export const LANGUAGE_OF_EXTENSION: Readonly<Record<string, Language>> = {
  '.py': 'python',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.sh': 'shell',
  '.bash': 'shell',
};
