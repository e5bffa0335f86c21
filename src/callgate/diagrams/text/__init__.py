"""The formats that are text: no engine, no font, nothing to install.

General layout: one file for each language, each with one function from a graph and a level of
detail to text that ends in a newline. They share nothing but the words (`wording.py`).
"""
