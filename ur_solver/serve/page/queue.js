// What people do, one thing after the other: nothing happens while an answer is awaited.

const MOST_WAITING = 8;

/** A queue of actions. An action looks at the state when its turn comes, not when it was asked for. */
export class Queue {
  /** @param {{busy: (isBusy: boolean) => void, failed: (error: Error) => void}} on */
  constructor(on) {
    this.on = on;
    this.waiting = 0;
    this.last = Promise.resolve();
  }

  /** A handler that puts an action into the queue; what comes too fast to be meant is ignored. */
  run(action) {
    return (...given) => {
      if (this.waiting >= MOST_WAITING) return this.last;
      this.waiting += 1;
      this.on.busy(true);
      this.last = this.last.then(() => action(...given)).catch(this.on.failed).then(() => {
        this.waiting -= 1;
        if (!this.waiting) this.on.busy(false);
      });
      return this.last;
    };
  }
}
