"""What the experiments share: sizes, progress, tables, figures, data sets.

lab          what an experiment is given: size, seed, progress, the folder of real data sets
outcome      what it gives back: tables, a figure, findings; written to a folder
drawing      figures that look alike
folder       data sets of a folder: Parquet tables, arrays, libsvm text
generated    data that several experiments generate
"""
