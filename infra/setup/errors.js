'use strict';

/**
 * Set-up cannot go on, and the message alone tells a person what to do: it is shown without a stack.
 */
class SetupError extends Error {
  /**
   * @param {string} message
   * @param {string} [reason] what people have seen already, for machines that have not
   */
  constructor(message, reason) {
    super(message);
    this.name = 'SetupError';
    this.reason = reason;
  }
}

/**
 * One line that says what went wrong, whatever was thrown.
 *
 * @param {unknown} error
 * @returns {string}
 */
function messageOf(error) {
  if (!(error instanceof Error)) return String(error);
  const code = /** @type {NodeJS.ErrnoException} */ (error).code;
  return error.message || code || error.name;
}

module.exports = { SetupError, messageOf };
