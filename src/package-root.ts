export { packageRoot } from '../infra/setup/root.js';
