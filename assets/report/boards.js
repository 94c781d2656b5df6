// A machine with given positions and outer boxes (SIPs), of which some are closed. With a switch
// between the boxes, closed ones are in rows above it and open ones below. Otherwise the boxes remain a
// grid, whose columns and rows are as wide and high as their largest box.

const closedBoard = { width: 11, height: 5 }; // in units of the drawing
const boardGap = 3;

/** Returns width and height of the drawing, its boxes with the moves of their contents, and the
 * place of the switch. */
function arrangeBoards({ json, parts }, hasSwitch) {
  const boards = json.boxes
    .filter(([name]) => !name.includes('.'))
    .map(([, left, top, width, height], i) => {
      const isOpen = parts.open.has(i + 1);
      const size = isOpen ? { width, height } : closedBoard;
      return { group: parts.groups[i + 1], isOpen, left, top, ...size };
    });
  const switchY = hasSwitch ? placeAroundSwitch(boards) : placeInGrid(boards);
  for (const board of boards) board.move = [board.x - board.left, board.y - board.top];
  const width = Math.max(...boards.map((board) => board.x + board.width));
  const height = Math.max(...boards.map((board) => board.y + board.height)) + 1;
  return { boards, width, height, switchAt: [width / 2, switchY] };
}

/** Places the boxes in rows, closed ones first. Returns the y of the switch between them. */
function placeAroundSwitch(boards) {
  const closed = boards.filter(({ isOpen }) => !isOpen),
    open = boards.filter(({ isOpen }) => isOpen);
  const rows = (list, most) =>
    Array.from({ length: Math.ceil(list.length / most) }, (_, i) =>
      list.slice(i * most, (i + 1) * most),
    );
  const above = rows(closed, 6),
    below = rows(open, 3);
  const widthOf = (row) => row.reduce((sum, { width }) => sum + width + boardGap, -boardGap);
  const width = Math.max(...[...above, ...below].map(widthOf));
  let y = 0;
  const place = (row) => {
    let x = (width - widthOf(row)) / 2;
    for (const board of row) {
      Object.assign(board, { x, y });
      x += board.width + boardGap;
    }
    y += Math.max(...row.map(({ height }) => height)) + boardGap;
  };
  above.forEach(place);
  const switchY = y + 1;
  y = switchY + 1 + boardGap;
  below.forEach(place);
  return switchY;
}

/** Keeps the columns and rows of the boxes. */
function placeInGrid(boards) {
  /** The new positions along an axis: each of the old ones, in order, after the largest box. */
  const positions = (start, size) => {
    const olds = [...new Set(boards.map((board) => board[start]))].sort((a, b) => a - b);
    let at = 0;
    return new Map(
      olds.map((old) => {
        const here = at,
          extent = Math.max(
            ...boards.filter((board) => board[start] === old).map((board) => board[size]),
          );
        at += extent + boardGap;
        return [old, [here, extent]];
      }),
    );
  };
  const columns = positions('left', 'width'),
    rows = positions('top', 'height');
  for (const board of boards) {
    const [x, width] = columns.get(board.left),
      [y, height] = rows.get(board.top);
    board.x = x + (width - board.width) / 2;
    board.y = y + (board.isOpen ? 0 : (height - board.height) / 2);
  }
  return 0;
}
