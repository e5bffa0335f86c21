// A list of any length that has only the rows in sight in the page.

const over = 6;

class VirtualList {
  constructor(box, height, make, update) {
    Object.assign(this, { box, height, make, update, count: 0, rows: new Map(), spare: [] });
    this.room = document.createElement("div");
    this.room.className = "room";
    this.room.setAttribute("role", "presentation");
    box.replaceChildren(this.room);
    box.addEventListener("scroll", () => this.draw());
  }

  resize(count) {
    this.count = count;
    this.room.style.height = count * this.height + "px";
    this.draw(true);
  }

  // Show the rows in sight; with `again`, those already there are brought up to date too.
  draw(again = false) {
    const top = this.box.scrollTop, seen = this.box.clientHeight;
    const first = Math.max(0, Math.floor(top / this.height) - over);
    const last = Math.min(this.count - 1, Math.ceil((top + seen) / this.height) + over);
    for (const [at, row] of this.rows) {
      if (at < first || at > last) {
        this.rows.delete(at);
        row.remove();
        this.spare.push(row);
      }
    }
    for (let at = first; at <= last; at++) {
      let row = this.rows.get(at);
      if (row && !again) continue;
      if (!row) {
        row = this.spare.pop() || this.make();
        row.style.height = this.height + "px";
        row.style.transform = `translateY(${at * this.height}px)`;
        this.rows.set(at, row);
        this.insert(at, row);
      }
      this.update(row, at);
    }
  }

  // In the order of the list, for who reads the page and does not see it.
  insert(at, row) {
    let next = null, nearest = Infinity;
    for (const [other, element] of this.rows) {
      if (other > at && other < nearest && element !== row && element.parentNode) { nearest = other; next = element; }
    }
    this.room.insertBefore(row, next);
  }

  reveal(at) {
    const top = at * this.height, seen = this.box.clientHeight;
    if (top < this.box.scrollTop) this.box.scrollTop = Math.max(0, top - this.height);
    else if (top + this.height > this.box.scrollTop + seen) this.box.scrollTop = top - seen + 2 * this.height;
    this.draw();
  }
}
