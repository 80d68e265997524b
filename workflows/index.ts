export { executeCode } from './execute-code';
