// The phase that takes the longest time on the critical path, for the selected size.

function showLongestPhase(run) {
  const [longest] = [...run.phase_times].sort((a, b) => b.time - a.time);
  byId('longest-phase').textContent = longest
    ? `${longest.name}: ${timeText(longest.time)}`
    : 'no phases';
}
