"""`windward explore`: a scenario on a page, its fields as sliders, its engines run again at every change."""
